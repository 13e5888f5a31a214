#pragma once

#include <string>

#include "local/server/node.h"

namespace kml::local {

/// The node's name: the host's, as a DNS label.
std::string node_name();

/// The v1.Node that stands for this machine. Throws usage Error where an option is no quantity or label.
Json node_object(const NodeOptions& options, Time now);

}  // namespace kml::local
