#pragma once

#include <string>
#include <vector>

#include "engine/watching/job_pods.h"
#include "kml/job/views/task.h"
#include "kml/net/http/transport.h"
#include "kml/sweep/trial/runner.h"

namespace kml::sweep {

/// An Indexed Job of a sweep, with its trials.
struct LiveWave {
  /// Updates the state from a new version of the Job.
  void update(const Json& now);

  Json job;                        ///< the Job; null while it is unknown
  std::vector<TrialJob> to_make;   ///< the trials for which the Job must be created
  std::vector<Json> early_pods;    ///< pods that arrived before their Job
  std::vector<std::string> names;  ///< the names of the trials, by index
  std::vector<bool> is_open;       ///< for each index, whether its end was not reported yet
  job::IndexRanges completed, failed;
  bool is_gone = false;
  bool is_over = false;  ///< whether the Job will create no more pods
  bool is_stopping = false, is_cancelled = false;
  bool pods_complete = false;  ///< whether the pods were listed after the Job's end
  http::SteadyTime begun{};
  std::string wait = {};      ///< the last reported cause for waiting
  long long parallelism = 0;  ///< the parallelism that was last set on the server
};

/// An open index and its last pod. Earlier pods have failed and were retried, or were removed.
struct LiveIndex {
  LiveWave* wave;
  int index;
  engine::JobPods pods;
  std::string uid;
  Json pod = {};
  int failures = 0;  ///< how many earlier pods failed
  /// GPU time of earlier pods whose failures are not counted as failures of the trial
  double gpu_seconds = 0;
  // Copied from the pod, because all open indexes are checked after each change.
  bool has_ended = false, has_succeeded = false;
};

/// A report with the values of the last pod, and the GPU time since the trial's last counted failure.
TrialReport report_of(const LiveIndex& live, TrialReport::Kind kind);

}  // namespace kml::sweep
