#pragma once

#include <string>
#include <vector>

#include "kml/kube/client/client.h"

namespace kml::job {

/// The names of Kueue's LocalQueues in the namespace. With `with_cluster_queues`, also the names of all
/// ClusterQueues. Throws Error if the cluster does not have Kueue, or if the user may not list its queues.
std::vector<std::string> queue_names(kube::Client& client, const std::string& namespace_name,
                                     bool with_cluster_queues);

}  // namespace kml::job
