#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/jobs/logs/log_lines.h"
#include "kml/jobs/views/job_view.h"

namespace kml::jobs {

/// How a run of a container ended.
struct ContainerExit {
  int code = 0;
  int signal = 0;  ///< 0 where none ended it
  bool out_of_memory = false;
  std::string reason = {}, message = {};  ///< as the API has them: "Error", "OOMKilled"
  std::optional<Time> started = {}, finished = {};

  bool is_bad() const { return code != 0 || signal != 0 || out_of_memory; }
};

/// "exit code 1", "signal 9 (exit code 137)", "out of memory".
std::string in_words(const ContainerExit& exit);

/// What happens around the lines. `text` says it in a sentence without a full stop, e.g. for standard error.
struct LogEvent {
  enum class Kind {
    waiting,     ///< a job or pod does not run: why, each time that changes
    began,       ///< the first request for a run's log is on its way
    gap,         ///< lines from..to of the source can no longer be read, or may be missing
    trouble,     ///< a log cannot be read for the moment, and is asked for again
    run_ended,   ///< a run of a container ended, and all its lines are out; `exit` where it is known
    silent,      ///< a job runs and has written nothing for long: why that may be
    pod_failed,  ///< or was stopped, before its job ended
    job_ended,   ///< all lines of all its pods are out; `job` and `view`
  };
  Kind kind;
  std::string text;
  const LogSource* source = nullptr;  ///< where it is about one
  std::string pod = {};               ///< where it is about one
  std::optional<Time> from = {}, to = {};
  std::optional<ContainerExit> exit = {};
  const Json* job = nullptr;
  const JobView* view = nullptr;
  const std::vector<Json>* failed_pods = nullptr;  ///< with job_ended: as they were seen last, gone or not
};

}  // namespace kml::jobs
