#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "cli/context.h"
#include "kml/jobs/control/wait.h"

namespace kml::cli {

/// Waits until the jobs have reached the goal, and says how each did: 0, or 3 where one failed, was cancelled
/// or can no longer reach it. Throws Error (unreachable) at the timeout.
int wait_for_jobs(Context& context, const std::vector<Json>& jobs,
                  std::optional<std::chrono::seconds> timeout, const jobs::WaitGoal& goal = {});

}  // namespace kml::cli
