#pragma once

#include <string>

#include "kml/base/json.h"
#include "kml/kube/objects/resource.h"

namespace kml::job {

/// Volcano's kinds, scheduling.volcano.sh/v1beta1.
inline constexpr api::ResourceKind kVolcanoQueue{
    "scheduling.volcano.sh", "v1beta1", "Queue", "queues", "queue", "", false};
inline constexpr api::ResourceKind kVolcanoPodGroup{
    "scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups", "podgroup", "", true};

/// Whether the queue takes no further jobs.
inline bool is_closed(const Json& volcano_queue) {
  const std::string state = string_at(volcano_queue, {"status", "state"});
  return state == "Closed" || state == "Closing";
}

}  // namespace kml::job
