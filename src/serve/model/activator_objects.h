#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/engine/in_cluster/engine_job.h"

namespace kml::serve {

/// The objects of the activator of a served Deployment, which shall own them: an account, unless the options
/// name one, and, last, a Deployment with the label api::kActivator whose pod takes requests at `port`. The
/// options' claim is not used.
std::vector<Json> activator_objects(const Json& served, const engine::EngineOptions& options, int port);

/// The options of an activator's Deployment.
engine::EngineOptions activator_options(const Json& activator);

}  // namespace kml::serve
