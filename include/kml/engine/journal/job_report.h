#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/base/clock.h"

namespace kml::engine {

/// A runner's report about a job.
struct JobReport {
  enum class Kind {
    waiting,  ///< `cause` says why; also reported if the pods of a running job were removed
    running,  ///< a pod has started: the first one, or the first one after a wait or a restart
    metric,   ///< a value was reported
    ended,    ///< the job has ended, and all its values were reported
    retried,  ///< the pod of an Indexed Job's task failed and is retried; see `attempt`
    gone,     ///< a user or program deleted it
    refused,  ///< the server rejects it, and would again; see `cause`
  };
  Kind kind = Kind::running;
  std::string job;
  Time time = {};

  std::string metric = {};  ///< the name of the metric
  double value = 0;
  double step = 0;  ///< the value's resource, e.g. its epoch; the value's number if there is none
  bool is_of_earlier_step = false;  ///< than a value of the metric that was reported before

  /// With `running`: a new pod or a restarted container replaces the one that reported values. It reports its
  /// values again, starting with the first one or from its checkpoint.
  bool begun_anew = false;

  int attempt = 0;                     ///< how many of its pods have failed
  std::optional<Time> job_ended = {};  ///< by the server's clock; set if a pod ran and all have ended

  bool succeeded = false, out_of_memory = false;
  /// With `ended`: the log of the deciding pod could not be read to its end, or no longer exists. Not set for
  /// lines that the node dropped at the log's beginning or in its middle.
  bool lost_lines = false;
  bool is_disrupted = false;    ///< the job failed because the cluster removed a pod
  std::string cause = {};       ///< why the job failed, in a few words
  std::string lost_input = {};  ///< the input whose change made a pipeline's step fail
  std::string node = {};
  double gpu_seconds = 0;                    ///< the sum over all its pods so far
  std::vector<std::string> last_lines = {};  ///< last lines of its log
};

}  // namespace kml::engine
