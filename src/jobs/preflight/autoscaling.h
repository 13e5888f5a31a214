#pragma once

#include <vector>

#include "kml/core/json.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// Whether the cluster may get nodes that it does not have now: by what the nodes say of where they come
/// from, by the groups of its API, and by the status that the cluster autoscaler keeps. Also true where that
/// cannot be read.
bool may_get_other_nodes(kube::Client& client, const std::vector<Json>& nodes);

}  // namespace kml::jobs
