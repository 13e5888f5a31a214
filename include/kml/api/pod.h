#pragma once

#include <string>

#include "kml/api/quantity.h"
#include "kml/core/json.h"

namespace kml::api {

/// status.phase of a pod; "Pending" where it has none yet.
inline std::string phase_of(const Json& pod) {
  return string_at(pod, {"status", "phase"}, "Pending");
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

/// The number of its priority class; 0 where it has none.
inline long long priority_of(const Json& pod) {
  return int_at(pod, {"spec", "priority"});
}

/// Without those that only start it.
inline const Json& containers_of(const Json& pod) {
  return array_at(pod, {"spec", "containers"});
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
