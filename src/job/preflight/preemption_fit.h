#pragma once

#include <vector>

#include "job/preflight/node_fit.h"
#include "kml/base/json.h"

namespace kml::job {

/// Whether Kueue could make room for these pods by preempting jobs in the ClusterQueue and its cohort, under
/// the queue's rules (pkg/scheduler/preemption). `cohort` is as in flavor_refusal(); `workloads` are those in
/// all namespaces. Always false where borrowWithinCohort or fair sharing would be needed.
bool fits_by_preemption(const std::vector<PodsWanted>& wanted, long long priority, const Json& cluster_queue,
                        const std::vector<Json>& cohort, const std::vector<Json>& flavors,
                        const std::vector<Json>& workloads);

}  // namespace kml::job
