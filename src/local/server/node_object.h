#pragma once

#include <string>

#include "local/server/node.h"

namespace kml::local {

/// The name of the node: the host name as a DNS label, or "local" if nothing of it remains.
std::string node_name();

/// The v1.Node for this machine. Throws usage Error if an option is not a valid quantity or label.
Json node_object(const NodeOptions& options, Time now);

/// Updates the node of an earlier server to `node`, from node_object(). Removes the labels that the earlier
/// server has set. Keeps labels and taints that a user has set.
void update_node(const Json& node, Json& old);

}  // namespace kml::local
