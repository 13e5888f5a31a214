#pragma once

#include <optional>
#include <string>

#include "kml/base/json.h"
#include "kml/engine/in_cluster/engine_job.h"
#include "kml/kube/client/client.h"
#include "serve/model/serve.h"

namespace kml::serve {

/// Whether the model has an activator on the cluster.
bool has_activator(kube::Client& client, const std::string& namespace_name, const std::string& name);

/// Directs the Service of a Deployment on a cluster to an activator if the Deployment is scaled to zero when
/// idle, otherwise to its pods. Creates, updates or deletes the activator. An empty image or service account
/// in `options` means that of the existing activator. Returns why the activator does not run; empty if it
/// does, or if none is needed. Throws Error.
std::optional<RolloutFailure> set_front(kube::Client& client, const Json& deployment,
                                        const engine::EngineOptions& options, const FollowRollout& follow);

}  // namespace kml::serve
