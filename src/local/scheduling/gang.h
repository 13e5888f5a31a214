#pragma once

#include <string>
#include <string_view>

#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/labels.h"
#include "local/store/object.h"

namespace kml::local {

/// Pods that are started and preempted all together or not at all. The controller writes the gang into their
/// annotations.
struct Gang {
  std::string id;  ///< empty for a single pod
  size_t size = 1;
};

inline Gang gang_of(const Json& pod) {
  const std::string size = annotation_of(pod, api::kGangSize);
  return size.empty() ? Gang{} : Gang{controller_uid(pod), static_cast<size_t>(std::atoi(size.c_str()))};
}

inline void set_gang(Json& pod, size_t size) {
  api::set_annotation(pod, api::kGangSize, std::to_string(size));
}

/// The resource that the embedded server assigns in slots.
inline constexpr std::string_view kGpu = "nvidia.com/gpu";

}  // namespace kml::local
