#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/engine/in_cluster/engine_job.h"

namespace kml::serve {

/// The objects of the activator for a served Deployment. The Deployment must become their owner. They are a
/// service account with its role, unless the options name an account, and then a Deployment with the label
/// api::kActivator. The Deployment's pod receives requests on `port`. Ignores the claim in the options.
std::vector<Json> activator_objects(const Json& served, const engine::EngineOptions& options, int port);

/// The options with which an activator's Deployment was created.
engine::EngineOptions activator_options(const Json& activator);

}  // namespace kml::serve
