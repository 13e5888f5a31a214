#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::job {

/// The labels that the pod's node selector requires and the node lacks, such as "zone=b". If the node does
/// not match the pod's node affinity, also "the labels that the pod's node affinity requires".
std::vector<std::string> missing_labels(const Json& node, const Json& pod_spec);

/// The taints that keep the pod off the node, because the pod does not tolerate them. Leaves out taints that
/// repeat the node's state (node.kubernetes.io/…): is_ready() and the cordon cover it.
std::vector<const Json*> untolerated_taints(const Json& node, const Json& pod_spec);

/// Whether the node is ready. False under memory, disk or PID pressure, too.
bool is_ready(const Json& node);

/// The node as it would be if it were ready and not cordoned, but with its taints.
Json opened_node(Json node);

/// Why the node's labels, taints or state keep a pod with this spec off the node ("is cordoned", "has taint
/// gpu"); empty if they do not. The pod's requests are not considered.
std::string refusal_of_node(const Json& node, const Json& pod_spec);

}  // namespace kml::job
