#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/base/clock.h"

namespace kml::engine {

/// A runner's report about a job.
struct JobReport {
  enum class Kind {
    waiting,  ///< `cause` says why the job waits; reported again if the pods of a running job were removed
    running,  ///< a pod has started: the first pod, or the first one after a wait or a restart
    metric,   ///< a value has arrived
    ended,    ///< the job has ended, and all values that could be read were reported
    retried,  ///< the pod for a task of an Indexed Job has failed and is retried; see `attempt`
    gone,     ///< a user or a program has deleted the job
    refused,  ///< the server rejects the job, and would reject it again; see `cause`
  };
  Kind kind = Kind::running;
  std::string job;
  Time time = {};

  std::string metric = {};  ///< the name of the metric
  double value = 0;
  double step = 0;  ///< the position of the value, such as its epoch; if there is none, the value's number
  /// whether a value of this metric with a later step was already reported
  bool is_of_earlier_step = false;

  /// With `running`: whether a new pod or a restarted container replaces an earlier one that has reported
  /// values. The job will then report values again, from the start or from a checkpoint.
  bool begun_anew = false;

  int attempt = 0;  ///< how many pods of the job have failed
  /// when the job ended, by the server's clock; set if a pod ran and all pods have ended
  std::optional<Time> job_ended = {};

  bool succeeded = false, out_of_memory = false;
  /// With `ended`: whether the log of the deciding pod could not be read to its end, or no longer exists. Not
  /// set if the node dropped lines only at the start or in the middle of the log.
  bool lost_lines = false;
  bool is_disrupted = false;  ///< whether the job failed because the cluster removed a pod
  std::string cause = {};     ///< why the job failed, in a few words
  /// the changed or missing input that made a pipeline's step fail
  std::string lost_input = {};
  std::string node = {};
  double gpu_seconds = 0;                    ///< the GPU time of all pods of the job so far
  std::vector<std::string> last_lines = {};  ///< the last lines of the job's log
};

}  // namespace kml::engine
