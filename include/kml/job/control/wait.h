#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/job/views/interrupt.h"
#include "kml/job/views/job_view.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The condition to wait for.
struct WaitGoal {
  enum class Kind { end, running, condition, deletion };
  Kind kind = Kind::end;
  std::string condition = {};  ///< in lower case
  std::string status = "true";
};

/// Parses the conditions of `kubectl wait --for` ("delete", "condition=Complete",
/// "condition=Complete=false"), "running" (a pod runs) and "end". Throws usage Error for anything else.
WaitGoal parse_wait_goal(std::string_view text);

struct WaitOptions {
  WaitGoal goal = {};
  std::optional<std::chrono::seconds> timeout = {};
  /// Called each second with the number of remaining jobs and one of them.
  std::function<void(size_t open, const Json& job)> on_progress = {};
  /// Called when a waiting job's cause changes, and when the job starts to run. Not called if there are more
  /// than a few jobs.
  std::function<void(const std::string& note)> on_note = {};
  /// Called after each change and at least each second, with each remaining job, and then on_pause
  /// once. Both may send requests.
  std::function<void(const Json& job)> on_look = {};
  std::function<void()> on_pause = {};
};

/// Waits until all jobs have reached the goal, with one watch per kind and namespace. Calls `on_end` for each
/// job when it reaches the goal, or ends and cannot reach it any more. A deleted job is treated as cancelled
/// unless deletion was the goal. Throws Error (unreachable) at the timeout.
void wait_for(kube::Client& client, const std::vector<Json>& jobs, const WaitOptions& options,
              const Interrupt& interrupt,
              const std::function<void(const Json& job, const JobView&, bool reached)>& on_end);

}  // namespace kml::job
