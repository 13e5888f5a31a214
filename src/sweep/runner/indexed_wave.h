#pragma once

#include <string>
#include <vector>

#include "engine/watching/job_pods.h"
#include "kml/job/views/task.h"
#include "kml/net/http/transport.h"
#include "kml/sweep/trial/runner.h"

namespace kml::sweep {

/// One Indexed Job of a sweep, with its trials.
struct LiveWave {
  /// Updates the state from the Job that the server last reported.
  void update(const Json& now);

  Json job;                        ///< null while it is unknown
  std::vector<TrialJob> to_make;   ///< the trials to create it with
  std::vector<Json> early_pods;    ///< pods that arrived before the Job itself
  std::vector<std::string> names;  ///< names of the trials, by index
  std::vector<bool> is_open;       ///< by index: whether the end has not been reported
  job::IndexRanges completed, failed;
  bool is_gone = false;
  bool is_over = false;  ///< whether the Job will create no more pods
  bool is_stopping = false, is_cancelled = false;
  bool pods_complete = false;  ///< whether the pods were listed after its end
  http::SteadyTime begun{};
  std::string wait = {};      ///< last reported cause for waiting
  long long parallelism = 0;  ///< last value set on the server
};

/// An open index with its last pod. Earlier pods failed and were retried, or were lost with their nodes.
struct LiveIndex {
  LiveWave* wave;
  int index;
  engine::JobPods pods;
  std::string uid;
  Json pod = {};
  int failures = 0;        ///< failures of earlier pods
  double gpu_seconds = 0;  ///< GPU time of earlier pods with failures that did not count
  // Copied from the pod, because all open indexes are checked at each change.
  bool has_ended = false, has_succeeded = false;
};

/// A report with the values of its pod, including the GPU time of earlier pods.
TrialReport report_of(const LiveIndex& live, TrialReport::Kind kind);

}  // namespace kml::sweep
