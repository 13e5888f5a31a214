#pragma once

#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::api {

/// The annotation of a pod with the size of its gang: the number of its job's pods, including this one, that
/// the embedded server starts together.
inline constexpr std::string_view kGangSize = "kml.dev/gang-size";
/// The annotation of a Job with the PodGroup that kml made for its pods.
inline constexpr std::string_view kPodGroup = "kml.dev/pod-group";

/// The PodGroup (scheduling.k8s.io) with which a pod starts; empty if it has none.
inline std::string pod_group_of(const Json& pod) {
  return string_at(pod, {"spec", "schedulingGroup", "podGroupName"});
}

}  // namespace kml::api
