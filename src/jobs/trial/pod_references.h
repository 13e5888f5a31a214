#pragma once

#include <string>
#include <vector>

#include "kml/api/resource.h"
#include "kml/core/json.h"

namespace kml::jobs {

/// An object that a pod cannot start without.
struct PodReference {
  const api::ResourceKind* kind;
  std::string name;
  auto operator<=>(const PodReference&) const = default;
};

/// Claims, secrets and config maps of volumes and variables, unless optional; service account; priority
/// class.
std::vector<PodReference> references_of(const Json& pod_spec);

}  // namespace kml::jobs
