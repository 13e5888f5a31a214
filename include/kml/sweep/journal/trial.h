#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/sweep/journal/record.h"
#include "kml/sweep/trial/history.h"

namespace kml::sweep {

/// The state of a trial according to its sweep's journal.
struct Trial {
  std::uint64_t number = 0;
  Point point;
  Json values;  ///< {"lr": 0.01, ...}
  TrialState state = TrialState::running;
  std::optional<Outcome> outcome;         ///< the trial's outcome; empty until the trial ends
  std::string cause;                      ///< why the trial failed, in a few words
  std::optional<double> value;            ///< the value of the objective, as reported
  Curve curve;                            ///< the values of the objective, as reported
  std::map<std::string, double> metrics;  ///< the recorded values of the additional metrics; only finite ones
  Diverged diverged = {};
  /// the job and node of the last attempt; `job` is empty if another attempt will start
  std::string job, node;
  int rung = 0, attempt = 0;  ///< the rung and attempt of the trial's job, or of its next job
  int failures = 0, losses = 0;
  double until = 0;  ///< the resource at which its job stops; 0 means that it stops by itself
  double gpu_seconds = 0;
  double judged = 0;  ///< the resource at which early stopping last judged the trial
  std::optional<record::Judged> judgement = {};  ///< the last record about the trial by early stopping
  bool is_cut = false;                           ///< early stopping has stopped the trial's job
  /// whether a pod of the trial's last job has run and was not removed since
  bool is_seen = false;
  /// whether the trial's job was stopped with the sweep; the trial starts again when the sweep is resumed
  bool is_withdrawn = false;
  std::optional<Lineage> lineage = {};
  Time asked = {};
  std::optional<Time> began, ended;

  bool has_ended() const { return outcome.has_value(); }
  /// The metric's last value, if that is NaN or infinite.
  std::optional<double> diverged_to(const std::string& metric) const {
    const auto found = diverged.find(metric);
    return found == diverged.end() ? std::nullopt : std::optional(found->second.second);
  }
};

}  // namespace kml::sweep
