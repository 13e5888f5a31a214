#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/json.h"

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

/// What a runner saw of a job.
struct TrialReport {
  enum class Kind {
    waiting,  ///< `cause` says for what; also a job that was running and whose pods were removed
    running,  ///< a pod has started: the first one, or the next one after a wait or a restart
    metric,   ///< a value was reported
    ended,    ///< the job has ended, and all its values were reported
    retried,  ///< of a wave: its pod failed and is retried; `attempt`
    gone,     ///< somebody deleted it
    refused,  ///< the server will always refuse it: `cause`
  };
  Kind kind = Kind::running;
  std::string job;
  Time time = {};

  std::string metric = {};  ///< its name
  double value = 0;
  double step = 0;  ///< the resource then; without one, the number of the value

  /// With `running`: a new pod, or a restarted container, replaces the one whose values were reported. It
  /// reports its values from the first one, or from its checkpoint.
  bool begun_anew = false;

  int attempt = 0;                     ///< how many of its pods have failed
  std::optional<Time> job_ended = {};  ///< by the server's clock, where a pod has run and all have ended

  bool succeeded = false, out_of_memory = false;
  /// With `ended`: the log of the pod that counts could not be read to its end, or there was none to read
  /// any more. What the node dropped at the log's beginning, or in its middle, is not meant.
  bool lost_lines = false;
  bool is_disrupted = false;  ///< it failed because the cluster took a pod away
  std::string cause = {};     ///< why it failed, in a few words
  std::string node = {};
  double gpu_seconds = 0;                    ///< of all its pods, up to now
  std::vector<std::string> last_lines = {};  ///< of its log
};

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
