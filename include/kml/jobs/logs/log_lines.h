#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/clock.h"
#include "kml/jobs/views/job_view.h"

namespace kml::jobs {

/// What a log is of: one run of one container of a pod. Its address is the same for all its lines, and valid
/// until read_logs() or follow_logs() returns.
struct LogSource {
  std::string namespace_name = {};
  std::string job = {}, job_uid = {};  ///< its name; both empty for a pod of none
  std::string pod = {}, pod_uid = {}, container = {}, node = {};
  /// A short name among the job's: "0", "worker-1", "x7f2q"; with "/CONTAINER" for all but a pod's only main
  /// one.
  std::string label = {};
  bool is_main = true;  ///< no init container, sidecar or ephemeral container
  std::optional<int> rank =
      {};           ///< among the job's pods, where they have an order; a PyTorchJob's master is 0
  int attempt = 1;  ///< the how-manieth pod this is at its rank (of those that are known), from 1
  int restart = 0;  ///< the how-manieth run of the container in this pod, from 0
};

/// A line, or a piece of a long one. The views live until the sink's call returns, and hold any bytes.
struct LogLine {
  const LogSource* source = nullptr;
  Time time;               ///< the node's clock; where a line has none, the time of the one before
  std::string_view stamp;  ///< RFC 3339, as the node wrote it; empty if it gave none
  std::string_view text;   ///< without stamp and newline
  bool begins = true;      ///< false: goes on with a line of this source, whose piece before did not end it
  bool ends = true;        ///< false: the line goes on, as it is longer than 32 KiB, or redrawn (LogCut)
};

/// What a progress bar leaves on the screen: of "1%\r2%\r3%" the last part that is not empty. For the text of
/// a whole line.
std::string_view after_carriage_returns(std::string_view text);

/// How a run of a container ended.
struct ContainerExit {
  int code = 0;
  int signal = 0;  ///< 0 if none ended it
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
    trouble,     ///< a log cannot be read for now, and is asked for again
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
