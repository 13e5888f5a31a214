#pragma once

#include <string>
#include <vector>

#include "job/preflight/node_fit.h"
#include "kml/base/json.h"

namespace kml::job {

/// Why Kueue would find no flavor for these pods, in its own words (pkg/scheduler/flavorassigner); empty if
/// it would. `cohort` are the ClusterQueues of the cluster, or none if `cluster_queue` is in no cohort. A
/// flavor that is not among `flavors` is treated as one without labels and taints.
std::string flavor_refusal(const std::vector<PodsWanted>& wanted, const Json& cluster_queue,
                           const std::vector<Json>& cohort, const std::vector<Json>& flavors);

}  // namespace kml::job
