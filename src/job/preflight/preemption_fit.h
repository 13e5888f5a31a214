#pragma once

#include <functional>
#include <string>
#include <vector>

#include "job/preflight/node_fit.h"
#include "kml/base/json.h"

namespace kml::job {

/// The ClusterQueue, with its usage replaced by the quota that Workloads have reserved. Only includes the
/// Workloads that `counts` accepts. The queue's own status has the same sums, but some seconds late.
Json with_reservations(Json cluster_queue, const std::vector<Json>& workloads,
                       const std::function<bool(const Json& workload)>& counts);

/// Whether Kueue could make room for these pods by preempting jobs in the ClusterQueue and its cohort, under
/// the queue's rules (pkg/scheduler/preemption). `cohort` is as in flavor_refusal(); `workloads` are those in
/// all namespaces. Always false where borrowWithinCohort or fair sharing would be needed.
bool fits_by_preemption(const std::vector<PodsWanted>& wanted, long long priority, const Json& cluster_queue,
                        const std::vector<Json>& cohort, const std::vector<Json>& flavors,
                        const std::vector<Json>& workloads);

}  // namespace kml::job
