#include "job/preflight/preemption_fit.h"

#include <algorithm>
#include <map>
#include <utility>

#include "job/capacity/kueue_api.h"
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

Json with_reservations(Json cluster_queue, const std::vector<Json>& workloads,
                       const std::function<bool(const Json& workload)>& counts) {
  std::map<std::pair<std::string, std::string>, int64_t> sums;  // sums by flavor and resource, in thousandths
  for (const Json& workload : workloads) {
    const Json& admission = object_at(workload, {"status", "admission"});
    if (string_at(admission, {"clusterQueue"}) != api::name_of(cluster_queue)) continue;
    if (!holds_quota(workload) || !counts(workload)) continue;
    for (const Json& set : array_at(admission, {"podSetAssignments"}))
      for (const auto& [resource, amount] : api::amounts_of(object_at(set, {"resourceUsage"})))
        sums[{string_at(set, {"flavors", resource}), resource}] += amount;
  }
  Json reservations = Json::array();
  for (const auto& [cell, sum] : sums)
    reservations.push_back({{"name", cell.first},
                            {"resources", {{{"name", cell.second}, {"total", std::to_string(sum) + "m"}}}}});
  cluster_queue["status"]["flavorsReservation"] = std::move(reservations);
  return cluster_queue;
}

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
