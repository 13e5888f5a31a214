#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kml/jobs/logs/log_lines.h"
#include "kml/jobs/views/interrupt.h"
#include "kml/kube/client.h"
#include "kml/kube/logs/log_stream.h"

namespace kml::jobs {

/// Which logs, and which of their lines.
struct LogSelection {
  std::vector<Json> jobs = {};  ///< the pods of these; where there are none, any pod of `namespace_name`
  std::optional<std::vector<Json>> pods = {};  ///< those of the one job, where they have just been read
  std::string namespace_name = {};             ///< read only where `jobs` is empty
  std::string pod_selector = {};               ///< label selector among pods; read only where `jobs` is empty
  std::string pod_pattern = {};                ///< RE2, which a part of the pod's name matches
  std::string container = {};                  ///< empty means all, init containers included
  std::optional<int> rank = {}, attempt = {};  ///< see LogSource
  bool previous = false;                       ///< only each container's run before its last restart

  std::optional<std::chrono::seconds> since = {};  ///< by the nodes' clocks; instead of since_time
  std::optional<Time> since_time = {}, until = {};
  std::optional<long long> tail = {};  ///< of each container
  bool gone_pods = false;              ///< also of pods that are gone: kml's own server keeps their logs
  kube::LogCut cut = kube::LogCut::long_lines;
  bool unfinished = false;  ///< see LogOptions
  bool attach = false;      ///< shows what comes of a line by attaching to each container that is followed
};

/// Takes what comes. Calls are made one at a time; a sink may throw to end it all.
class LogSink {
 public:
  virtual ~LogSink() = default;
  /// Lines in their order; more than one source's only in read_logs().
  virtual void lines(std::span<const LogLine> lines) = 0;
  virtual void event(const LogEvent& event) = 0;
  /// What has come so far of a source's next line, or of its next piece; see LogStreamHandler. If it is
  /// empty, what was shown before is void. Called only for logs that are followed.
  virtual void unfinished(const LogLine& line) { static_cast<void>(line); }
  /// Nothing more for now: what was written should be seen. Returns whether some of it can be seen
  /// only at a call a little later.
  virtual bool pause() { return false; }
  /// A job that waits or is suspended, again and again while that is so.
  virtual void waits(const JobView&) {}

  /// What the sink has of a source already, from an earlier process.
  enum class Kept { nothing, a_part, all };
  /// Asked before a source is read. Of a part, the lines of its last two seconds are passed to `recall` (at
  /// least; in their order), and what comes is what follows them.
  virtual Kept kept(const LogSource&, const std::function<void(Time, std::string_view text)>& recall) {
    static_cast<void>(recall);
    return Kept::nothing;
  }
};

/// What is there now, all sources merged by time. Holds a few KiB of each source. Calls no on-end events.
void read_logs(kube::Client& client, const LogSelection& selection, LogSink& sink);

/// From the first line on, through waiting, restarts, new attempts and broken connections, as it comes, until
/// each of the jobs has ended. Without jobs it goes on until a signal comes. Throws Error (interrupted) then.
void follow_logs(kube::Client& client, const LogSelection& selection, const Interrupt& interrupt,
                 LogSink& sink);

}  // namespace kml::jobs
