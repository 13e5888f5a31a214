#pragma once

#include <optional>
#include <string>

#include "local/shim/pod_plan.h"

namespace kml::local {

/// Drops the privileges that the container's program must not have. Call this in the process that will become
/// the program. Returns an error message if it fails.
std::optional<std::string> give_up_privileges(const Privileges& privileges);

}  // namespace kml::local
