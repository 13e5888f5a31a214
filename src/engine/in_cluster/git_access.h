#pragma once

#include "kml/engine/in_cluster/engine_job.h"

namespace kml::engine {

/// Gives git in the pod's container its credentials, and uses kEngineWork, which must be mounted, for
/// temporary files.
void add_git(const GitAccess& git, Json& pod);

}  // namespace kml::engine
