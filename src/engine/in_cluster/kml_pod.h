#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/engine/in_cluster/engine_job.h"

namespace kml::engine {

/// The spec of a pod in which kml runs this command, with its state on the journal's volume. Without a claim,
/// the state does not survive the pod. The options name its service account, or it is `account`. The caller
/// may add more volumes.
Json kml_pod(const EngineOptions& options, const std::string& account,
             const std::vector<std::string>& command);

/// A ServiceAccount, a Role with these rules, and their RoleBinding; all with this metadata.
std::vector<Json> account_objects(const Json& metadata, const Json& rules);

}  // namespace kml::engine
