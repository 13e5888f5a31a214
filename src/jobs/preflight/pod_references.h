#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/api/resource.h"
#include "kml/core/json.h"

namespace kml::jobs {

/// An object that a pod cannot start without, or only where its image is open to all.
struct PodReference {
  const api::ResourceKind* kind;
  std::string name;
  std::string_view without_it = "the job's pods could not start";
  auto operator<=>(const PodReference&) const = default;
};

/// Claims, secrets and config maps of volumes and variables, unless optional; secrets for images; service
/// account; priority class.
std::vector<PodReference> references_of(const Json& pod_spec);

}  // namespace kml::jobs
