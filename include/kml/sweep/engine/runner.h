#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/engine/job_report.h"

namespace kml::sweep {

/// One job of a trial: a trial has another one where it failed and is retried, and where it is promoted.
struct TrialJob {
  std::string name;  ///< "lr1-t00042-r1-a0": trial, rung, attempt
  std::uint64_t trial = 0;
  int rung = 0;
  int attempt = 0;
  Json values;                                ///< {"lr": 0.01, ...}
  std::optional<double> until = {};           ///< the resource at which it is to end by itself
  std::string checkpoint = {};                ///< folder of its checkpoints, where the sweep has one
  std::vector<std::string> avoid_nodes = {};  ///< that failed others
  bool must_avoid = false;                    ///< rather waits for another node
  bool has_ended = false;                     ///< in a wave: nothing more is reported about it
};

using TrialReport = engine::JobReport;

/// Where trials run: jobs on a server, or a scripted one in tests.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Creates the job, or takes over the one of that name that this sweep created earlier; its values are then
  /// reported again. Failures come as reports.
  /// Of an indexed sweep they are all of one wave, in its order: one Job.
  virtual void start(const std::vector<TrialJob>& jobs) = 0;
  /// Ends a job, with its grace; in a wave, all of it. Its end is still reported.
  virtual void stop(const std::string& job) = 0;
  /// What happened since, waiting at most so long for something. Throws Error (interrupted) on a signal.
  virtual std::vector<TrialReport> wait(std::chrono::milliseconds limit) = 0;
};

/// What is to happen to running trials when a sweep is stopped.
enum class StopWish { none, drain, now };  ///< drain: they finish

/// Reads it from the text of a file or of an object's field; empty means none.
inline StopWish stop_wish_of(const std::optional<std::string>& text) {
  return !text ? StopWish::none : *text == "drain" ? StopWish::drain : StopWish::now;
}
inline const char* text_of(StopWish wish) {
  return wish == StopWish::drain ? "drain" : "now";
}

}  // namespace kml::sweep
