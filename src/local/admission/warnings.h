#pragma once

#include <string>
#include <vector>

#include "kml/api/resource.h"

namespace kml::local {

/// What an API server lets a client know of an object that it takes, as Warning headers
/// (k8s.io/kubernetes/pkg/api/pod/warnings.go, registry/batch/job/strategy.go). `current` is nullptr for a
/// new one.
std::vector<std::string> warnings_of(const api::ResourceKind& kind, const Json& object, const Json* current);

}  // namespace kml::local
