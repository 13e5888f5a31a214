#pragma once

#include <string>
#include <vector>

#include "kml/kube/objects/resource.h"

namespace kml::local {

/// The Warning headers that an API server sends for an accepted object
/// (k8s.io/kubernetes/pkg/api/pod/warnings.go, registry/batch/job/strategy.go), and warnings about the fields
/// of a new object that this server ignores. `current` is nullptr for a new object.
std::vector<std::string> warnings_of(const api::ResourceKind& kind, const Json& object, const Json* current);

}  // namespace kml::local
