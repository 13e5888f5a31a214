#pragma once

#include <string>

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

}  // namespace kml::api
