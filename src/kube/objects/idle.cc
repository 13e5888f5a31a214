#include "kml/kube/objects/idle.h"

#include <algorithm>
#include <cstdlib>

#include "kml/base/clock.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::api {

std::optional<std::chrono::seconds> idle_limit_of(const Json& deployment) {
  const auto limit = parse_duration(annotation_of(deployment, kIdle));
  return limit && limit->count() > 0 ? limit : std::nullopt;
}

bool is_scaled_to_zero(const Json& deployment) {
  return int_at(deployment, {"spec", "replicas"}, 1) == 0 &&
         !annotation_of(deployment, kIdleReplicas).empty();
}

long long replicas_when_used(const Json& deployment) {
  if (!is_scaled_to_zero(deployment)) return int_at(deployment, {"spec", "replicas"}, 1);
  return std::max(1LL, std::atoll(annotation_of(deployment, kIdleReplicas).c_str()));
}

void scale_to_zero(Json& deployment) {
  set_annotation(deployment, std::string(kIdleReplicas),
                 std::to_string(int_at(deployment, {"spec", "replicas"}, 1)));
  deployment["spec"]["replicas"] = 0;
}

void scale_back(Json& deployment) {
  deployment["spec"]["replicas"] = replicas_when_used(deployment);
  deployment["metadata"]["annotations"].erase(std::string(kIdleReplicas));
}

std::string scaled_to_zero_text(const Json& deployment) {
  const auto limit = idle_limit_of(deployment);
  return "scaled to zero" + (limit ? " after " + short_duration(*limit) + " without a request" : "");
}

}  // namespace kml::api
