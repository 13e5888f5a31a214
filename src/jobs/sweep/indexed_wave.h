#pragma once

#include <string>
#include <vector>

#include "jobs/watching/job_pods.h"
#include "kml/http/transport.h"
#include "kml/jobs/views/task.h"
#include "kml/sweep/engine/runner.h"

namespace kml::jobs {

/// A Job and its trials.
struct Wave {
  /// As the server last reported it.
  void update(const Json& now);

  Json job;                              ///< null until it is known
  std::vector<sweep::TrialJob> to_make;  ///< its trials, until then
  std::vector<Json> early_pods;          ///< that came before it
  std::vector<std::string> names;        ///< of trials, by index
  std::vector<bool> is_open;             ///< their ends were not told
  IndexRanges completed, failed;
  bool is_gone = false;
  bool is_over = false;  ///< it gets no more pods
  bool is_stopping = false, is_cancelled = false;
  bool pods_complete = false;  ///< they were listed after its end
  http::SteadyTime begun{};
  std::string wait = {};      ///< as it was last reported
  long long parallelism = 0;  ///< as it was set last
};

/// An index with its last pod. Those before it were retried, or lost with their node.
struct LiveIndex {
  Wave* wave;
  int index;
  JobPods pods;
  std::string uid;
  Json pod = {};
  int failures = 0;        ///< of pods before it
  double gpu_seconds = 0;  ///< of those before it whose failure did not count
  // As the pod says. It is asked of all live ones each time that anything changes.
  bool has_ended = false, has_succeeded = false;
};

/// What its pods report, with the GPU time of earlier ones.
sweep::TrialReport report_of(const LiveIndex& live, sweep::TrialReport::Kind kind);

}  // namespace kml::jobs
