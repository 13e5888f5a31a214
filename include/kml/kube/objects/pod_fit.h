#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/objects/quantity.h"

namespace kml::api {

/// Whether the pod tolerates a v1 Taint, by the rules of v1.Toleration.ToleratesTaint.
bool tolerates(const Json& pod_spec, const Json& taint);

/// Whether the taint keeps pods that do not tolerate it off the node. PreferNoSchedule only lowers the node's
/// score.
bool keeps_pods_off(const Json& taint);

/// The taint in the syntax of kubectl and `kml submit --toleration`: "dedicated=team:NoSchedule".
std::string taint_text(const Json& taint);

inline const Json& taints_of(const Json& node) {
  return array_at(node, {"spec", "taints"});
}
inline std::string taint_key(const Json& taint) {
  return string_at(taint, {"key"});
}

/// The resources that a node has for pods.
inline Amounts allocatable_of(const Json& node) {
  return amounts_of(object_at(node, {"status", "allocatable"}));
}

/// Whether the node is marked unschedulable (spec.unschedulable). is_cordoned_for() returns false if pods
/// with this PodSpec tolerate it.
bool is_cordoned(const Json& node);
bool is_cordoned_for(const Json& node, const Json& pod_spec);

// Whether a node matches a v1 PodSpec, by the rules of
// k8s.io/component-helpers/scheduling/corev1/nodeaffinity.

/// The labels in spec.nodeSelector that the node does not have: "zone=b".
std::vector<std::string> missing_node_labels(const Json& node, const Json& pod_spec);

/// Whether the node matches one term of the required node affinity, that is, all its requirements. Without a
/// node affinity, every node matches. A term that is empty or has an unreadable requirement matches no node.
bool has_node_affinity(const Json& node, const Json& pod_spec);

/// Why the node's cordon, taints, name or labels keep pods with this v1 PodSpec off the node; empty if they
/// do not. The texts are the scheduler's, in the order of its filters: "node(s) were unschedulable", "node(s)
/// had untolerated taint {gpu: yes}".
std::string unsuitable_because(const Json& node, const Json& pod_spec);

bool fits(const Amounts& needed, const Amounts& free);
/// The resources that the node lacks, in the scheduler's words: "Insufficient cpu", "Too many pods".
std::vector<std::string> shortages(const Amounts& needed, const Amounts& free);

}  // namespace kml::api
