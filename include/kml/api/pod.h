#pragma once

#include <string>

#include "kml/api/quantity.h"
#include "kml/core/json.h"

namespace kml::api {

/// status.phase of a pod, "Pending" where it has none yet; or of another kind that has one.
inline std::string phase_of(const Json& pod, std::string fallback = "Pending") {
  return string_at(pod, {"status", "phase"}, std::move(fallback));
}
/// Well or not: it needs its node no more.
inline bool pod_has_ended(const Json& pod) {
  const std::string phase = phase_of(pod);
  return phase == "Succeeded" || phase == "Failed";
}

/// The node that it was bound to; empty before.
inline std::string node_of(const Json& pod) {
  return string_at(pod, {"spec", "nodeName"});
}

/// The number of its priority class; 0 if it has none.
inline long long priority_of(const Json& pod) {
  return int_at(pod, {"spec", "priority"});
}

/// Why it failed as a whole: "Evicted", "DeadlineExceeded"; empty if a container's end says it.
inline std::string status_reason(const Json& pod) {
  return string_at(pod, {"status", "reason"});
}
inline std::string status_message(const Json& pod) {
  return string_at(pod, {"status", "message"});
}

/// The node that the scheduler frees for it.
inline std::string nominated_node_of(const Json& pod) {
  return string_at(pod, {"status", "nominatedNodeName"});
}

/// How long its programs may take to end, in seconds.
inline long long grace_seconds_of(const Json& pod) {
  return int_at(pod, {"spec", "terminationGracePeriodSeconds"}, 30);
}

// Of a v1 PodSpec: a pod's own, or its template's.

/// Without those that only start it; those are "initContainers".
inline const Json& containers_in(const Json& pod_spec, std::string_view list = "containers") {
  return array_at(pod_spec, {list});
}
inline const Json& containers_of(const Json& pod, std::string_view list = "containers") {
  return array_at(pod, {"spec", list});
}
/// Visits all its containers, those that only start it first.
template <typename PodSpec, typename Visit>
void visit_containers(PodSpec& pod_spec, Visit&& visit) {
  for (const char* list : {"initContainers", "containers"})
    if (const auto found = pod_spec.find(list); found != pod_spec.end())
      for (auto& container : *found) visit(container);
}
inline const Json& volumes_in(const Json& pod_spec) {
  return array_at(pod_spec, {"volumes"});
}
inline const Json& tolerations_in(const Json& pod_spec) {
  return array_at(pod_spec, {"tolerations"});
}
inline const Json& node_selector_in(const Json& pod_spec) {
  return object_at(pod_spec, {"nodeSelector"});
}
/// The terms of its required node affinity, of which one has to hold.
inline const Json& node_terms_in(const Json& pod_spec) {
  return array_at(pod_spec, {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
                             "nodeSelectorTerms"});
}
/// Also of a replica of a PyTorchJob.
inline std::string restart_policy_in(const Json& pod_spec, std::string fallback = {}) {
  return string_at(pod_spec, {"restartPolicy"}, std::move(fallback));
}
/// In seconds.
inline long long deadline_in(const Json& pod_spec, long long fallback = 0) {
  return int_at(pod_spec, {"activeDeadlineSeconds"}, fallback);
}
inline long long grace_seconds_in(const Json& pod_spec, long long fallback = 0) {
  return int_at(pod_spec, {"terminationGracePeriodSeconds"}, fallback);
}
inline std::string service_account_in(const Json& pod_spec) {
  return string_at(pod_spec, {"serviceAccountName"}, string_at(pod_spec, {"serviceAccount"}));
}
inline const Json& pull_secrets_in(const Json& pod_spec) {
  return array_at(pod_spec, {"imagePullSecrets"});
}
/// Of a term of a node affinity.
inline const Json& requirements_in(const Json& term) {
  return array_at(term, {"matchExpressions"});
}
inline std::string priority_class_in(const Json& pod_spec) {
  return string_at(pod_spec, {"priorityClassName"});
}
/// Of a pod that has been admitted, or of a priority class.
inline bool may_preempt(const Json& pod_spec) {
  return string_at(pod_spec, {"preemptionPolicy"}) != "Never";
}

/// The number that a priority class stands for.
inline long long priority_value_of(const Json& priority_class) {
  return int_at(priority_class, {"value"});
}
/// The claim of a volume; empty if it is of another kind.
inline std::string claim_name_of(const Json& volume) {
  return string_at(volume, {"persistentVolumeClaim", "claimName"});
}
/// An emptyDir of medium Memory.
inline bool is_in_memory(const Json& volume) {
  return string_at(volume, {"emptyDir", "medium"}) == "Memory";
}

// What a v1 PodSpec asks for, as k8s.io/component-helpers/resource 1.34 adds it up: the containers' sum, or
// what runs while one of the init containers does where that is more. An init container that restarts always
// is a sidecar and runs on beside those after it. What spec.resources says of cpu, memory and huge pages
// counts instead, and the overhead counts on top. Amounts of 0 are left out.

/// What the scheduler counts, with "pods", of which it is one. Takes specs that no API server has seen yet: a
/// limit stands for a request that is not there.
Amounts pod_requests(const Json& pod_spec);

/// The limits' sum. The overhead counts only on top of a limit.
Amounts pod_limits(const Json& pod_spec);

}  // namespace kml::api
