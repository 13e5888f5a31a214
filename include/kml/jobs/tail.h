#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kml/jobs/interrupt.h"
#include "kml/jobs/job_view.h"
#include "kml/kube/client.h"

namespace kml::jobs {

struct TailOptions {
  std::string container;  ///< empty means all
  bool previous = false;
  std::string since_time;  ///< RFC 3339
  std::optional<long long> tail_lines;
  bool gone_pods = false;  ///< read_logs: also of pods that are gone, where the server keeps them
};

/// A line of a job's log. `source` tells its pod among the job's: "0", "worker-1", "x7f2q"; with the
/// container where the pod has several.
struct LogLine {
  std::string_view job;
  std::string_view source;
  std::string_view time;  ///< RFC 3339, from the kubelet; empty where it gave none
  std::string_view text;
};

struct TailHandler {
  std::function<void(const LogLine&)> on_line;
  /// Narration: why nothing comes yet, that a pod failed and another one follows.
  std::function<void(const std::string&)> on_note;
  /// No more lines for the moment: what was printed should be seen.
  std::function<void()> on_pause;
  /// A job that does not run (any more), again and again while that is so; may be empty.
  std::function<void(const JobView&)> on_wait = {};
};

/// What a job's pods have written so far, all attempts merged by time.
void read_logs(kube::Client& client, const std::vector<Json>& jobs, const TailOptions& options,
               const TailHandler& handler);

/// Follows jobs of one namespace from their first line to their end, through waiting and new attempts. Calls
/// `on_end` for each job when its last line is out.
void follow_logs(kube::Client& client, const std::vector<Json>& jobs, const TailOptions& options,
                 const Interrupt& interrupt, const TailHandler& handler,
                 const std::function<void(const Json& job, const JobView&)>& on_end);

/// A short name of a pod among those of its job.
std::string short_pod_name(const Json& pod, std::string_view job_name);

}  // namespace kml::jobs
