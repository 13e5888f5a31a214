#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/core/clock.h"

namespace kml::engine {

/// What a runner saw of a job.
struct JobReport {
  enum class Kind {
    waiting,  ///< `cause` says for what; also a job that was running and whose pods were removed
    running,  ///< a pod has started: the first one, or the next one after a wait or a restart
    metric,   ///< a value was reported
    ended,    ///< the job has ended, and all its values were reported
    retried,  ///< of a task of an Indexed Job: its pod failed and is retried; `attempt`
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
  std::string lost_input =
      {};  ///< of a pipeline's step: it failed as this one of its inputs was not what it was
  std::string node = {};
  double gpu_seconds = 0;                    ///< of all its pods, up to now
  std::vector<std::string> last_lines = {};  ///< of its log
};

}  // namespace kml::engine
