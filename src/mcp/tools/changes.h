#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mcp/tools/call.h"

namespace kml::mcp {

/// Applies a plan. Throws usage Error if there is no such plan, or if the server may not apply it.
std::unique_ptr<Call> apply_plan(const std::string& id, Shared& shared);

/// Cancels, deletes, suspends or resumes jobs, after it has checked that this server has created them (unless
/// --allow has "others"). With `cancel`, the names sweep/NAME, run/NAME and serve/NAME stop what the server
/// has started.
std::unique_ptr<Call> change_own(const std::string& command, const std::vector<std::string>& names,
                                 Shared& shared);

}  // namespace kml::mcp
