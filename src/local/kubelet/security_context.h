#pragma once

#include "kml/core/json.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// What the container's securityContext, and the pod's where that says nothing, asks for and the server's
/// user can give. Throws Error with reason "CreateContainerConfigError" where runAsNonRoot would be broken.
Privileges privileges_of(const Json& pod, const Json& container);

}  // namespace kml::local
