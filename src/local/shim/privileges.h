#pragma once

#include <optional>
#include <string>

#include "local/shim/pod_plan.h"

namespace kml::local {

/// Takes from this process, which is to be the container's program, what it may not do. Returns why it
/// cannot.
std::optional<std::string> give_up_privileges(const Privileges& privileges);

}  // namespace kml::local
