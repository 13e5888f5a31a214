#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/engine/in_cluster/engine_job.h"

namespace kml::engine {

/// The spec of a pod that runs this kml command and keeps its state on the journal's volume. Without a claim,
/// the state is lost with the pod. The service account is the one in the options, otherwise `account`. The
/// caller may add volumes.
Json kml_pod(const EngineOptions& options, const std::string& account,
             const std::vector<std::string>& command);

/// A ServiceAccount, a Role with these rules, and a RoleBinding for them; all have this metadata.
std::vector<Json> account_objects(const Json& metadata, const Json& rules);

}  // namespace kml::engine
