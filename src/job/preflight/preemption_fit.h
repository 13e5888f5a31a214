#pragma once

#include <functional>
#include <string>
#include <vector>

#include "job/preflight/node_fit.h"
#include "kml/base/json.h"

namespace kml::job {

/// The ClusterQueue with the quota that those of these Workloads have reserved which `counts` accepts. Its
/// own status has the same sums, but some seconds late.
Json with_reservations(Json cluster_queue, const std::vector<Json>& workloads,
                       const std::function<bool(const Json& workload)>& counts);

/// Whether Kueue could preempt jobs in the ClusterQueue and in its cohort so that these pods fit, by the
/// queue's rules (pkg/scheduler/preemption). `cohort` is as for flavor_refusal(); `workloads` are those of
/// all namespaces. Ignores borrowWithinCohort and fair sharing: the answer is then only "no".
bool fits_by_preemption(const std::vector<PodsWanted>& wanted, long long priority, const Json& cluster_queue,
                        const std::vector<Json>& cohort, const std::vector<Json>& flavors,
                        const std::vector<Json>& workloads);

}  // namespace kml::job
