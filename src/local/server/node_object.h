#pragma once

#include <cstdint>
#include <string>

#include "local/server/node.h"

namespace kml::local {

/// The number of NVIDIA GPUs in this machine according to NVML or, if it cannot be loaded, to the driver's
/// folder in /proc; 0 without a driver.
int64_t count_gpus();

/// The name of the node: the host name as a DNS label, or "local" if nothing of it remains.
std::string node_name();

/// The v1.Node for this machine. Throws usage Error if an option is not a valid quantity or label.
Json node_object(const NodeOptions& options, Time now);

}  // namespace kml::local
