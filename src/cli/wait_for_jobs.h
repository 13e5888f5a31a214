#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "cli/context.h"

namespace kml::cli {

/// Waits until the jobs have ended, and says how each did: 0, or 3 where one failed or was cancelled. Throws
/// Error (unreachable) at the timeout.
int wait_for_jobs(Context& context, const std::vector<Json>& jobs,
                  std::optional<std::chrono::seconds> timeout);

}  // namespace kml::cli
