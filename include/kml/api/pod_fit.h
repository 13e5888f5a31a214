#pragma once

#include <string>
#include <vector>

#include "kml/api/quantity.h"
#include "kml/core/json.h"

namespace kml::api {

/// Whether the pod tolerates a v1 Taint (v1.Toleration.ToleratesTaint).
bool tolerates(const Json& pod_spec, const Json& taint);

/// Whether the scheduler minds it: a taint of PreferNoSchedule only makes a node less welcome.
bool keeps_pods_off(const Json& taint);

/// "dedicated=team:NoSchedule", as kubectl and `kml submit --toleration` take it.
std::string taint_text(const Json& taint);

inline const Json& taints_of(const Json& node) {
  return array_at(node, {"spec", "taints"});
}
inline std::string taint_key(const Json& taint) {
  return string_at(taint, {"key"});
}

/// What a node has for pods.
inline Amounts allocatable_of(const Json& node) {
  return amounts_of(object_at(node, {"status", "allocatable"}));
}

/// The node takes no new pods (spec.unschedulable), unless they tolerate that.
bool is_cordoned(const Json& node);
bool is_cordoned_for(const Json& node, const Json& pod_spec);

// Whether a node is of those that a v1 PodSpec asks for, as
// k8s.io/component-helpers/scheduling/corev1/nodeaffinity has it.

/// What of spec.nodeSelector the node has not, as "zone=b".
std::vector<std::string> missing_node_labels(const Json& node, const Json& pod_spec);

/// All requirements of one of the terms of its required node affinity hold; without one, any node will do. A
/// term without requirements, or with one that cannot be read, matches no node.
bool has_node_affinity(const Json& node, const Json& pod_spec);

/// Why the scheduler puts the node aside for pods of that v1 PodSpec however empty it is, in its words and in
/// the order of its filters: "node(s) were unschedulable", "node(s) had untolerated taint {gpu: yes}". Empty
/// if it does not.
std::string unsuitable_because(const Json& node, const Json& pod_spec);

bool fits(const Amounts& needed, const Amounts& free);
/// What is short, in the scheduler's words: "Insufficient cpu", "Too many pods".
std::vector<std::string> shortages(const Amounts& needed, const Amounts& free);

}  // namespace kml::api
