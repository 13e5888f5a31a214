#pragma once

#include <string>

#include "kml/base/json.h"
#include "kml/kube/objects/quantity.h"

namespace kml::api {

/// The phase of a pod or another object (status.phase), or the fallback if it has none yet.
inline std::string phase_of(const Json& pod, std::string fallback = "Pending") {
  return string_at(pod, {"status", "phase"}, std::move(fallback));
}
/// Whether the pod has succeeded or failed, and no longer needs its node.
inline bool pod_has_ended(const Json& pod) {
  const std::string phase = phase_of(pod);
  return phase == "Succeeded" || phase == "Failed";
}

/// The node that the pod is bound to; empty before it is scheduled.
inline std::string node_of(const Json& pod) {
  return string_at(pod, {"spec", "nodeName"});
}

/// The value of the pod's priority class; 0 if it has none.
inline long long priority_of(const Json& pod) {
  return int_at(pod, {"spec", "priority"});
}

/// Why the pod itself failed: "Evicted", "DeadlineExceeded"; empty if a container failed.
inline std::string status_reason(const Json& pod) {
  return string_at(pod, {"status", "reason"});
}
inline std::string status_message(const Json& pod) {
  return string_at(pod, {"status", "message"});
}

/// The node that the scheduler intends for the pod, such as one on which it preempts other pods.
inline std::string nominated_node_of(const Json& pod) {
  return string_at(pod, {"status", "nominatedNodeName"});
}

/// How many seconds the pod's processes may take to stop.
inline long long grace_seconds_of(const Json& pod) {
  return int_at(pod, {"spec", "terminationGracePeriodSeconds"}, 30);
}

/// The port of this machine at which a pod of the embedded server listens for this containerPort. The
/// annotation kPorts may replace it by another port.
int machine_port(const Json& pod, int container_port);

/// The containerPort that a probe or a Service names by its number or its name. 0 if the pod has no port with
/// that name.
int container_port(const Json& pod_spec, const Json& number_or_name);

// Fields of a v1 PodSpec, from a pod or a pod template.

/// The containers. For init containers, pass "initContainers".
inline const Json& containers_in(const Json& pod_spec, std::string_view list = "containers") {
  return array_at(pod_spec, {list});
}
inline const Json& containers_of(const Json& pod, std::string_view list = "containers") {
  return array_at(pod, {"spec", list});
}
/// The container with that name, or its status, of any kind: main, init or ephemeral. Null if there is none.
const Json* find_container(const Json& pod, std::string_view name);
const Json* find_container_status(const Json& pod, std::string_view name);
/// Visits the init containers, then the main containers.
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
/// The terms of the required node affinity. A node must match at least one.
inline const Json& node_terms_in(const Json& pod_spec) {
  return array_at(pod_spec, {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
                             "nodeSelectorTerms"});
}
/// The restart policy. Also accepts a replica of a PyTorchJob.
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
/// The requirements for labels in a node affinity term.
inline const Json& requirements_in(const Json& term) {
  return array_at(term, {"matchExpressions"});
}
inline std::string priority_class_in(const Json& pod_spec) {
  return string_at(pod_spec, {"priorityClassName"});
}
/// Whether a pod may preempt others. Also accepts a priority class. Pass a pod that the API server has
/// stored, because the server sets the field preemptionPolicy.
inline bool may_preempt(const Json& pod_spec) {
  return string_at(pod_spec, {"preemptionPolicy"}) != "Never";
}

/// The value of a priority class.
inline long long priority_value_of(const Json& priority_class) {
  return int_at(priority_class, {"value"});
}
/// The persistent volume claim of a volume; empty for another kind of volume.
inline std::string claim_name_of(const Json& volume) {
  return string_at(volume, {"persistentVolumeClaim", "claimName"});
}
/// Whether the volume is an emptyDir of medium Memory.
inline bool is_in_memory(const Json& volume) {
  return string_at(volume, {"emptyDir", "medium"}) == "Memory";
}

// The resources of a v1 PodSpec, computed as in k8s.io/component-helpers/resource 1.34: the sum over the
// containers, or the amount needed while an init container runs, whichever is larger. An init container that
// always restarts is a sidecar and keeps running beside the later ones. The cpu, memory and huge pages in
// spec.resources replace these amounts, and the overhead is added. Leaves out amounts of 0.

/// The requests that the scheduler counts, including 1 of the resource "pods". Also accepts a spec without
/// the API server's defaults: a missing request then equals the limit.
Amounts pod_requests(const Json& pod_spec);

/// The GPUs among pod_requests(). The limit of a container is its request, because GPUs cannot be
/// overcommitted.
Amounts gpu_requests(const Json& pod_spec);

/// The limits, computed in the same way. Adds the overhead only to resources with a limit.
Amounts pod_limits(const Json& pod_spec);

/// The "requests" or "limits" of a pod as the spec writes them, without the overhead and without values in
/// place of missing ones. This is what a LimitRange for pods compares. Includes amounts of 0.
Amounts written_amounts_of_pod(const Json& pod_spec, std::string_view list);

}  // namespace kml::api
