#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kml/job/logs/log_lines.h"
#include "kml/job/views/interrupt.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/client/client.h"
#include "kml/kube/logs/log_stream.h"

namespace kml::job {

/// The jobs that are created while logs are followed, such as those of a pipeline's later steps.
struct JobsToCome {
  std::string selector = {};  ///< a label selector that jobs and their pods match
  /// whether to follow this job; called once for each job that `selector` selects
  std::function<bool(const Json& job)> wants = {};
  /// Whether no more jobs will be created. Called every `pause` once all known jobs have ended.
  std::function<bool()> is_over = {};
  std::chrono::milliseconds pause = {};
};

/// Which logs to read, and which lines in them.
struct LogSelection {
  /// the jobs whose pods are selected; if empty, all pods in `namespace_name` are selected
  std::vector<Json> jobs = {};
  /// If set, follow_logs() also follows these jobs, in `namespace_name`, and `jobs` may be empty.
  std::optional<JobsToCome> to_come = {};
  /// the job's pods, if there is only one job and its pods were just read
  std::optional<std::vector<Json>> pods = {};
  /// the namespace of the pods; only used if `jobs` is empty or `to_come` is set
  std::string namespace_name = {};
  std::string pod_selector = {};      ///< a label selector for pods; only used if `jobs` is empty
  std::optional<Owners> owners = {};  ///< selects only the pods of these owners; only used if `jobs` is empty
  std::string pod_pattern = {};       ///< an RE2 expression that must match a part of the pod's name
  std::string container =
      {};  ///< the container's name; empty means all containers, including init containers
  std::optional<int> rank = {}, attempt = {};  ///< see LogSource
  /// the ranks whose logs are read, by their job's "namespace/name"; for a job that is not listed, all ranks
  std::map<std::string, std::set<int>> tasks = {};
  bool previous = false;  ///< only the run before each container's last restart

  std::optional<std::chrono::seconds> since =
      {};  ///< the maximum age of lines, on the nodes' clocks; replaces since_time
  std::optional<Time> since_time = {}, until = {};
  std::optional<long long> tail = {};  ///< how many of the last lines of each container
  bool gone_pods = false;              ///< include deleted pods; the embedded server keeps their logs
  kube::LogCut cut = kube::LogCut::long_lines;
  bool unfinished = false;  ///< see LogOptions
  bool attach = false;      ///< attach to each followed container, to show incomplete lines
  /// If set, called when the only followed job was deleted before it ended. Returns the status with which the
  /// job ended in another cluster, or an empty status if it was only deleted. Returns nothing if the job
  /// continues in another cluster; its end must then not be reported.
  std::function<std::optional<Json>()> status_after_deletion = {};
};

/// Receives lines and events, one call at a time. A sink may throw, which ends the reading.
class LogSink {
 public:
  virtual ~LogSink() = default;
  /// Receives lines in order. Only read_logs() passes lines from several sources in one call.
  virtual void lines(std::span<const LogLine> lines) = 0;
  virtual void event(const LogEvent& event) = 0;
  /// Receives the text so far of a source's next line or piece, which is incomplete; see LogStreamHandler. If
  /// this text is empty, the text that was shown before is no longer valid. Only called when following.
  virtual void unfinished(const LogLine& line) { static_cast<void>(line); }
  /// Called if no more input is available now, so that the sink shows pending output. Returns true if it
  /// should soon be called again to show the rest.
  virtual bool pause() { return false; }
  /// Called repeatedly while a job is waiting or suspended.
  virtual void waits(const JobView&) {}

  /// How much of a source the sink has already received from an earlier process.
  enum class Kept { nothing, a_part, all };
  /// Called before a source is read. If the result is `a_part`, the sink must pass at least the lines in the
  /// last two seconds of that part to `recall`, in order. The sink then receives the lines that follow that
  /// part.
  virtual Kept kept(const LogSource&, const std::function<void(Time, std::string_view text)>& recall) {
    static_cast<void>(recall);
    return Kept::nothing;
  }
};

/// Reads the existing logs of all sources, sorted by time. Keeps some KiB of each source in memory. Sends no
/// events about the end of runs or jobs.
void read_logs(kube::Client& client, const LogSelection& selection, LogSink& sink);

/// Follows logs from the first selected line until all jobs have ended, and no more will come, even if jobs
/// wait, containers restart, pods are replaced or connections break. A job that waits in vain for another one
/// (see waits_in_vain()) is treated as ended. Without jobs, follows until a signal arrives, and then throws
/// Error (interrupted).
void follow_logs(kube::Client& client, const LogSelection& selection, const Interrupt& interrupt,
                 LogSink& sink);

}  // namespace kml::job
