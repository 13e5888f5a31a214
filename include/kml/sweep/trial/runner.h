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
  std::string name;  ///< "lr1-t00042-r1-a0": trial, rung, attempt
  std::uint64_t trial = 0;
  int rung = 0;
  int attempt = 0;
  Json values;                                ///< {"lr": 0.01, ...}
  std::optional<double> until = {};           ///< its resource (e.g. epoch) at which it must stop by itself
  std::string checkpoint = {};                ///< folder for its checkpoints; empty if the sweep keeps none
  std::vector<std::string> avoid_nodes = {};  ///< nodes on which other trials failed
  bool must_avoid = false;                    ///< waits if only avoid_nodes are free
  /// In population-based training: the folder with the checkpoints from which it starts; empty for a start
  /// from the beginning.
  std::optional<std::string> parent = {};
  bool has_ended = false;  ///< in a wave: no more reports about it follow
};

using TrialReport = engine::JobReport;

/// Runs trials. An indexed sweep passes all trials of one wave, in order, to start(); they become one Job,
/// and stop() ends the whole wave. Failures come as reports.
using Runner = engine::Runner<TrialJob>;

/// How to treat running trials when a sweep is stopped.
enum class StopWish { none, drain, now };  ///< drain: let them finish

/// Parses the text of a file or an object's field; empty means none.
inline StopWish stop_wish_of(const std::optional<std::string>& text) {
  return !text ? StopWish::none : *text == "drain" ? StopWish::drain : StopWish::now;
}
inline const char* text_of(StopWish wish) {
  return wish == StopWish::drain ? "drain" : "now";
}

}  // namespace kml::sweep
