#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/engine/journal/job_report.h"
#include "kml/engine/loop/runner.h"

namespace kml::sweep {

/// One job of a trial. A retry or a promotion has another job.
struct TrialJob {
  std::string name;  ///< "lr1-t00042-r1-a0": trial, rung and attempt; "lr1-42" if the sweep is indexed
  std::uint64_t trial = 0;
  int rung = 0;
  int attempt = 0;
  Json values;  ///< {"lr": 0.01, ...}
  /// the resource (e.g. epoch) at which the job must stop by itself
  std::optional<double> until = {};
  /// the folder for the trial's checkpoints; empty if the sweep stores none
  std::string checkpoint = {};
  std::vector<std::string> avoid_nodes = {};  ///< nodes on which other trials failed
  bool must_avoid = false;  ///< whether the job must wait while only nodes in `avoid_nodes` are free
  /// In population-based training, the folder with the checkpoints from which the trial starts; an empty text
  /// if it starts from the beginning.
  std::optional<std::string> parent = {};
  bool has_ended = false;  ///< for a trial in a wave: no more reports about this trial follow
};

using TrialReport = engine::JobReport;

/// Runs trials. An indexed sweep passes all trials of one wave, in order, to start(); they become one Job,
/// and stop() ends the whole wave. Failures of trials are returned as reports.
using Runner = engine::Runner<TrialJob>;

/// How to treat running trials when a sweep is stopped.
enum class StopWish { none, drain, now };  ///< drain: let running trials finish

/// Parses the text from a file or from an object's field. No text means `none`. Any text but "drain" means
/// `now`.
inline StopWish stop_wish_of(const std::optional<std::string>& text) {
  return !text ? StopWish::none : *text == "drain" ? StopWish::drain : StopWish::now;
}
inline const char* text_of(StopWish wish) {
  return wish == StopWish::drain ? "drain" : "now";
}

}  // namespace kml::sweep
