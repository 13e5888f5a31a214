#pragma once

#include <string>
#include <string_view>

#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/labels.h"
#include "local/store/object.h"

namespace kml::local {

/// Pods that are started and preempted either all together or not at all. The controller writes the gang's id
/// and size into the annotations of its pods.
struct Gang {
  std::string id;  ///< empty for a pod that belongs to no gang
  size_t size = 1;
};

inline Gang gang_of(const Json& pod) {
  const std::string size = annotation_of(pod, api::kGangSize);
  return size.empty() ? Gang{} : Gang{controller_uid(pod), static_cast<size_t>(std::atoi(size.c_str()))};
}

inline void set_gang(Json& pod, size_t size) {
  api::set_annotation(pod, api::kGangSize, std::to_string(size));
}

/// The resource whose units the embedded server assigns as numbered slots.
inline constexpr std::string_view kGpu = "nvidia.com/gpu";

}  // namespace kml::local
