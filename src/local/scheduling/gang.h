#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/labels.h"
#include "local/store/object.h"
#include "local/store/store.h"

namespace kml::local {

/// Pods that start together. The pods name a PodGroup, or the controller has written the gang's size into the
/// annotations of its pods.
struct Gang {
  std::string id;  ///< the gang's id; empty for a pod that belongs to no gang
  size_t size = 1;
  bool is_minimum = false;    ///< the gang may have more pods, which start on their own
  bool ends_together = true;  ///< whether the gang's pods are preempted together
};

/// The name of the pod's PodGroup; empty if it has none.
inline std::string pod_group_of(const Json& pod) {
  return string_at(pod, {"spec", "schedulingGroup", "podGroupName"});
}

/// The pod's gang. Empty if its PodGroup does not exist; the pod must then wait for the PodGroup.
inline std::optional<Gang> gang_of(const Json& pod, const Store& store) {
  if (const std::string name = pod_group_of(pod); !name.empty()) {
    const ObjectPtr group = store.get(kinds::pod_group, namespace_of(pod), name);
    if (!group) return {};
    const Json* gang = find(*group, {"spec", "schedulingPolicy", "gang"});
    if (!gang) return Gang{};
    return Gang{uid_of(*group), static_cast<size_t>(std::max<int64_t>(1, int_at(*gang, {"minCount"}))), true,
                find(*group, {"spec", "disruptionMode", "all"}) != nullptr};
  }
  const std::string size = annotation_of(pod, api::kGangSize);
  return size.empty() ? Gang{} : Gang{controller_uid(pod), static_cast<size_t>(std::atoi(size.c_str()))};
}

inline void set_gang(Json& pod, size_t size) {
  api::set_annotation(pod, api::kGangSize, std::to_string(size));
}

/// The resource whose units the embedded server assigns as numbered slots.
inline constexpr std::string_view kGpu = "nvidia.com/gpu";

}  // namespace kml::local
