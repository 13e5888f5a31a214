#pragma once

#include <string>
#include <vector>

#include "job/preflight/node_fit.h"
#include "kml/base/json.h"

namespace kml::job {

/// Why Kueue would find no flavor for these pods, in the words of its scheduler
/// (pkg/scheduler/flavorassigner); empty if it would find one. `cohort` has the ClusterQueues in the cluster,
/// or none if `cluster_queue` is in no cohort. A flavor that is missing from `flavors` is treated as one
/// without labels and taints.
std::string flavor_refusal(const std::vector<PodsWanted>& wanted, const Json& cluster_queue,
                           const std::vector<Json>& cohort, const std::vector<Json>& flavors);

}  // namespace kml::job
