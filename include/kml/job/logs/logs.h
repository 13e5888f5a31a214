#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kml/job/logs/log_lines.h"
#include "kml/job/views/interrupt.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/client/client.h"
#include "kml/kube/logs/log_stream.h"

namespace kml::job {

/// Selects logs and lines in them.
struct LogSelection {
  std::vector<Json> jobs = {};                 ///< selects their pods; if empty, all pods of `namespace_name`
  std::optional<std::vector<Json>> pods = {};  ///< the pods of the only job, if they have just been read
  std::string namespace_name = {};             ///< used only if `jobs` is empty
  std::string pod_selector = {};               ///< label selector of pods; used only if `jobs` is empty
  std::optional<Owners> owners = {};           ///< only their pods; used only if `jobs` is empty
  std::string pod_pattern = {};                ///< RE2; must match a part of the pod's name
  std::string container = {};                  ///< empty means all, init containers included
  std::optional<int> rank = {}, attempt = {};  ///< see LogSource
  bool previous = false;                       ///< only each container's run before its last restart

  std::optional<std::chrono::seconds> since = {};  ///< by the nodes' clocks; alternative to since_time
  std::optional<Time> since_time = {}, until = {};
  std::optional<long long> tail = {};  ///< number of last lines of each container
  bool gone_pods = false;              ///< also deleted pods (kml's own server keeps their logs)
  kube::LogCut cut = kube::LogCut::long_lines;
  bool unfinished = false;  ///< see LogOptions
  bool attach = false;      ///< attaches to each followed container to show unfinished lines
};

/// Receives lines and events, one call at a time. A sink may throw to end the reading.
class LogSink {
 public:
  virtual ~LogSink() = default;
  /// Lines in order. Only read_logs() passes lines of several sources in one call.
  virtual void lines(std::span<const LogLine> lines) = 0;
  virtual void event(const LogEvent& event) = 0;
  /// The unfinished text of a source's next line or piece so far; see LogStreamHandler. If it is empty, the
  /// text shown before is no longer valid. Called only while following.
  virtual void unfinished(const LogLine& line) { static_cast<void>(line); }
  /// No more input is available now, so the sink should show pending output. Returns true if another call is
  /// soon needed to show the rest.
  virtual bool pause() { return false; }
  /// Called repeatedly while a job waits or is suspended.
  virtual void waits(const JobView&) {}

  /// How much of a source the sink already has from an earlier process.
  enum class Kept { nothing, a_part, all };
  /// Called before a source is read. For `a_part`, the sink passes at least the lines of the part's last two
  /// seconds to `recall`, in order; it then receives the lines after them.
  virtual Kept kept(const LogSource&, const std::function<void(Time, std::string_view text)>& recall) {
    static_cast<void>(recall);
    return Kept::nothing;
  }
};

/// Reads the existing logs of all sources, merged by time. Holds a few KiB of each source in memory. Sends no
/// events about the end of runs or jobs.
void read_logs(kube::Client& client, const LogSelection& selection, LogSink& sink);

/// Follows logs from the first line until all jobs have ended, across waiting, restarts, new attempts and
/// broken connections. Without jobs, follows until a signal and then throws Error (interrupted).
void follow_logs(kube::Client& client, const LogSelection& selection, const Interrupt& interrupt,
                 LogSink& sink);

}  // namespace kml::job
