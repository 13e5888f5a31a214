#include "job/preflight/preemption_fit.h"

#include "job/capacity/queue_room.h"
#include "job/preflight/flavor_fit.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

namespace {

std::string preemption_policy(const Json& cluster_queue, const char* which) {
  return string_at(cluster_queue, {"spec", "preemption", which}, "Never");
}

}  // namespace

bool fits_by_preemption(const std::vector<PodsWanted>& wanted, long long priority, const Json& cluster_queue,
                        const std::vector<Json>& cohort, const std::vector<Json>& flavors,
                        const std::vector<Json>& workloads) {
  const bool preempts_own = preemption_policy(cluster_queue, "withinClusterQueue") != "Never";
  const std::string reclaims = preemption_policy(cluster_queue, "reclaimWithinCohort");
  const auto stays = [&](bool preempts) {
    return [preempts, priority](const Json& workload) {
      return !preempts || api::priority_of(workload) >= priority;
    };
  };
  const Json own = with_reservations(cluster_queue, workloads, stays(preempts_own));
  // Quota that other queues have borrowed is only taken back for a job that fits the queue's own quota.
  const bool fits_alone = flavor_refusal(wanted, own, {}, flavors).empty();
  if (cohort.empty()) return preempts_own && fits_alone;
  if (reclaims == "Any" && fits_alone) return true;
  const bool takes_back = reclaims != "Never" && fits_alone;
  if (!preempts_own && !takes_back) return false;
  std::vector<Json> others;
  for (const Json& queue : cohort)
    others.push_back(api::name_of(queue) == api::name_of(cluster_queue)
                         ? own
                         : with_reservations(queue, workloads, stays(takes_back)));
  return flavor_refusal(wanted, own, others, flavors).empty();
}

}  // namespace kml::job
