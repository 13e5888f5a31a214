#pragma once

#include <string>
#include <vector>

#include "kml/core/json.h"

namespace kml::jobs {

/// The labels that a pod's node selector asks for and the node has not, as "zone=b"; "the labels of its node
/// affinity" where it lacks those.
std::vector<std::string> missing_labels(const Json& node, const Json& pod_spec);

/// Taints that keep the pod off the node and that it does not tolerate. Those that only tell of the node's
/// state (node.kubernetes.io/…) are left out: is_ready() and its cordon are their facts.
std::vector<const Json*> untolerated_taints(const Json& node, const Json& pod_spec);

/// Also false under pressure of memory, disk or processes.
bool is_ready(const Json& node);

/// Why the node takes no such pod, however empty it is ("is cordoned", "has taint gpu"); empty if it does.
std::string refusal_of_node(const Json& node, const Json& pod_spec);

}  // namespace kml::jobs
