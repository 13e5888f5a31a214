#include "job/capacity/queue_room.h"

#include <algorithm>
#include <map>
#include <utility>

#include "job/capacity/kueue_api.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

int64_t CellQuota::guaranteed() const {
  return lending ? std::max<int64_t>(nominal - *lending, 0) : 0;
}

CellQuota cell_quota_of(const Json& cluster_queue, const QuotaCell& cell) {
  CellQuota quota;
  visit_quotas(cluster_queue, [&](const Json& flavor, const Json& one) {
    if (QuotaCell{api::entry_name(flavor), api::entry_name(one)} != cell) return;
    const api::Amounts amounts = api::amounts_of(one);
    const auto at = [&](const char* field) -> std::optional<int64_t> {
      const auto found = amounts.find(field);
      return found == amounts.end() ? std::nullopt : std::optional(found->second);
    };
    quota.nominal = at("nominalQuota").value_or(0);
    quota.borrowing = at("borrowingLimit");
    quota.lending = at("lendingLimit");
  });
  for (const Json& flavor : array_at(cluster_queue, {"status", "flavorsReservation"}))
    if (api::entry_name(flavor) == cell.flavor)
      for (const Json& resource : array_at(flavor, {"resources"}))
        if (api::entry_name(resource) == cell.resource) {
          const api::Amounts amounts = api::amounts_of(resource);
          if (const auto total = amounts.find("total"); total != amounts.end()) quota.used = total->second;
        }
  return quota;
}

CellRoom cell_room(const CellQuota& own, std::span<const CellQuota> cohort) {
  CellRoom room{own.nominal, own.nominal - own.used};
  if (cohort.empty()) return room;
  int64_t lendable = 0, lent = 0;
  for (const CellQuota& quota : cohort) {
    lendable += quota.lent_most();
    lent += std::max<int64_t>(quota.used - quota.guaranteed(), 0);
  }
  room.most = own.guaranteed() + lendable;
  room.free = std::max<int64_t>(own.guaranteed() - own.used, 0) + lendable - lent;
  if (own.borrowing) {
    room.most = std::min(room.most, own.nominal + *own.borrowing);
    room.free = std::min(room.free, own.nominal + *own.borrowing - own.used);
  }
  return room;
}

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

}  // namespace kml::job
