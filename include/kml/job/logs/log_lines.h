#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/job/views/job_view.h"

namespace kml::job {

/// The source of a log: one run of a container in a pod. All its lines point to the same object, which is
/// valid until read_logs() or follow_logs() returns.
struct LogSource {
  std::string namespace_name = {};
  std::string job = {}, job_uid = {};  ///< the job's name and uid; both are empty for a pod without a job
  std::string pod = {}, pod_uid = {}, container = {}, node = {};
  /// A short name within the job: "0", "worker-1" or "x7f2q". Ends with "/CONTAINER", unless this is the only
  /// main container of the pod.
  std::string label = {};
  bool is_main = true;           ///< false for an init container, a sidecar or an ephemeral container
  std::optional<int> rank = {};  ///< the pod's rank, if the pods have an order; 0 for a PyTorchJob's master
  int attempt = 1;               ///< the pod's number among the known pods with its rank, from 1
  int restart = 0;               ///< the number of the container's run in this pod, from 0
};

/// A line, or a piece of a long line. The views may contain any bytes, and are valid until the sink's call
/// returns.
struct LogLine {
  const LogSource* source = nullptr;
  Time time;  ///< the time on the node's clock; a line without a time gets the time of the previous line
  std::string_view stamp;  ///< the time in RFC 3339, as the node wrote it; may be empty
  std::string_view text;   ///< the line or piece without timestamp and newline
  bool begins = true;      ///< false if the text continues the source's previous piece
  /// false if the line continues, because it is longer than 32 KiB or redrawn (LogCut)
  bool ends = true;
};

/// How a run of a container has ended.
struct ContainerExit {
  int code = 0;
  int signal = 0;  ///< 0 if no signal has ended the run
  bool out_of_memory = false;
  std::string reason = {},
              message = {};  ///< the reason and message in the API, such as "Error" or "OOMKilled"
  std::optional<Time> started = {}, finished = {};

  bool is_bad() const { return code != 0 || signal != 0 || out_of_memory; }
};

/// The exit in words: "exit code 1", "exit code 137 (signal 9)", "out of memory".
std::string in_words(const ContainerExit& exit);

/// An event in a log other than a line. `text` is a sentence without a period, meant for standard error.
struct LogEvent {
  enum class Kind {
    waiting,     ///< why a job waits or has no log, sent when the cause changes; or that the job now runs
    began,       ///< the log of a run was requested for the first time
    gap,         ///< the source's lines in from..to are lost or may be missing
    trouble,     ///< a log cannot be read now (when following, kml tries again), or cannot be shown live
    run_ended,   ///< a run of a container has ended, and all its lines were sent; has `exit` if known
    silent,      ///< a job has printed nothing so far; when following, sent after a long time, with a likely
                 ///< cause
    pod_failed,  ///< a pod has failed, or was stopped before its job ended
    job_ended,   ///< a job has ended or waits in vain, and all lines of its pods were sent; has `job` and
                 ///< `view`
  };
  Kind kind;
  std::string text;
  const LogSource* source = nullptr;  ///< the source that the event is about, if any
  std::string pod = {};               ///< the pod that the event is about, if any
  std::optional<Time> from = {}, to = {};
  std::optional<ContainerExit> exit = {};
  const Json* job = nullptr;
  const JobView* view = nullptr;
  /// for the event job_ended: the failed pods as last seen, including deleted ones
  const std::vector<Json>* failed_pods = nullptr;
};

}  // namespace kml::job
