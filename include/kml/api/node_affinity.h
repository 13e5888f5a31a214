#pragma once

#include <string>
#include <vector>

#include "kml/core/json.h"

namespace kml::api {

// Whether a node is of those that a v1 PodSpec asks for, as
// k8s.io/component-helpers/scheduling/corev1/nodeaffinity has it.

/// What of spec.nodeSelector the node has not, as "zone=b".
std::vector<std::string> missing_node_labels(const Json& node, const Json& pod_spec);

/// All requirements of one of the terms of its required node affinity hold; without one, any node will do. A
/// term without requirements, or with one that cannot be read, matches no node.
bool has_node_affinity(const Json& node, const Json& pod_spec);

}  // namespace kml::api
