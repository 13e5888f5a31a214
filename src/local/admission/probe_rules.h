#pragma once

#include <string>

#include "local/api/api_error.h"

namespace kml::local {

/// Sets the defaults of a container's probes (pkg/apis/core/v1/defaults.go, SetDefaults_Probe).
void default_probes(Json& container);

/// Checks a container's probes and its lifecycle hooks (pkg/apis/core/validation, validateProbe and
/// validateLifecycle). `path` is the container's path.
void validate_probes(const Json& container, const std::string& path, FieldErrors& errors);

}  // namespace kml::local
