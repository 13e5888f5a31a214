#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/job/views/job_view.h"

namespace kml::job {

/// The source of a log: one run of one container of a pod. All its lines point to the same object, which is
/// valid until read_logs() or follow_logs() returns.
struct LogSource {
  std::string namespace_name = {};
  std::string job = {}, job_uid = {};  ///< name and uid; both empty for a pod without a job
  std::string pod = {}, pod_uid = {}, container = {}, node = {};
  /// A short name within the job: "0", "worker-1", "x7f2q"; with "/CONTAINER" unless it is the pod's only
  /// main container.
  std::string label = {};
  bool is_main = true;           ///< not an init container, sidecar or ephemeral container
  std::optional<int> rank = {};  ///< the pod's rank, if pods have an order; a PyTorchJob's master is 0
  int attempt = 1;               ///< the pod's number among the known pods of its rank, from 1
  int restart = 0;               ///< the number of the container's run in this pod, from 0
};

/// A line, or a piece of a long one. The views are valid until the sink's call returns, and may hold any
/// bytes.
struct LogLine {
  const LogSource* source = nullptr;
  Time time;               ///< by the node's clock; a line without a time gets the time of the previous line
  std::string_view stamp;  ///< RFC 3339, as the node wrote it; may be empty
  std::string_view text;   ///< without timestamp and newline
  bool begins = true;      ///< false: it continues the source's previous piece
  bool ends = true;        ///< false: the line continues: longer than 32 KiB, or redrawn (LogCut)
};

/// How a run of a container ended.
struct ContainerExit {
  int code = 0;
  int signal = 0;  ///< 0 if no signal ended it
  bool out_of_memory = false;
  std::string reason = {}, message = {};  ///< from the API: "Error", "OOMKilled"
  std::optional<Time> started = {}, finished = {};

  bool is_bad() const { return code != 0 || signal != 0 || out_of_memory; }
};

/// "exit code 1", "signal 9 (exit code 137)", "out of memory".
std::string in_words(const ContainerExit& exit);

/// An event besides the lines. `text` is a sentence without a full stop, e.g. for standard error.
struct LogEvent {
  enum class Kind {
    waiting,     ///< a job or pod does not run; sent when the cause changes
    began,       ///< the first request for a run's log has been sent
    gap,         ///< lines from..to of the source are lost or may be missing
    trouble,     ///< a log cannot be read now; kml retries
    run_ended,   ///< a container run ended, after all its lines; has `exit` if known
    silent,      ///< a job runs but has long written nothing; has a likely cause
    pod_failed,  ///< a pod failed, or was stopped before its job ended
    job_ended,   ///< a job ended, after all lines of its pods; has `job` and `view`
  };
  Kind kind;
  std::string text;
  const LogSource* source = nullptr;  ///< if the event concerns a source
  std::string pod = {};               ///< if the event concerns a pod
  std::optional<Time> from = {}, to = {};
  std::optional<ContainerExit> exit = {};
  const Json* job = nullptr;
  const JobView* view = nullptr;
  const std::vector<Json>* failed_pods = nullptr;  ///< with job_ended: as last seen, even if already deleted
};

}  // namespace kml::job
