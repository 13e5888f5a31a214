#pragma once

#include <cstdint>
#include <string>

#include "local/server/node.h"

namespace kml::local {

/// The number of NVIDIA GPUs of this machine, as NVML counts them; 0 if there is no driver.
int64_t count_gpus();

/// The node's name: the host's, as a DNS label.
std::string node_name();

/// The v1.Node that stands for this machine. Throws usage Error if an option is not a quantity or label.
Json node_object(const NodeOptions& options, Time now);

}  // namespace kml::local
