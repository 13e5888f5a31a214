#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/jobs/views/interrupt.h"
#include "kml/jobs/views/job_view.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// What is waited for.
struct WaitGoal {
  enum class Kind { end, condition, deletion };
  Kind kind = Kind::end;
  std::string condition = {};  ///< in lower case
  std::string status = "true";
};

/// As kubectl writes it: "delete", "condition=Complete", "condition=Complete=false"; and "end". Throws usage
/// Error for anything else.
WaitGoal parse_wait_goal(std::string_view text);

struct WaitOptions {
  WaitGoal goal = {};
  std::optional<std::chrono::seconds> timeout = {};
  /// Called each second: how many are still waited for, and one of them.
  std::function<void(size_t open, const Json& job)> on_progress = {};
  /// Why a job waits, at each new cause, and that it runs then; not where more than a few are waited for.
  std::function<void(const std::string& note)> on_note = {};
};

/// Waits until each of the jobs has reached the goal, with one watch a kind and namespace. Calls `on_end` for
/// each as it does, or as it ends and never will; a job that is deleted counts as cancelled, unless that was
/// the goal. Throws Error (unreachable) at the timeout.
void wait_for(kube::Client& client, const std::vector<Json>& jobs, const WaitOptions& options,
              const Interrupt& interrupt,
              const std::function<void(const Json& job, const JobView&, bool reached)>& on_end);

}  // namespace kml::jobs
