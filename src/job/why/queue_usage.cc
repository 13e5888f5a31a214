#include "job/capacity/kueue_api.h"
#include "job/why/causes.h"

#include <algorithm>

#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

Holder holder_of_workload(const Json& workload) {
  Holder holder{"Workload", api::namespace_of(workload), api::name_of(workload),
                api::label_of(workload, api::kUser)};
  if (const Json* owner = api::controller_of(workload)) {
    holder.kind = api::kind_name(*owner);
    holder.name = api::entry_name(*owner);
  }
  holder.priority = api::priority_of(workload);
  return holder;
}

std::vector<Holder> holders_in_queue(const Facts& facts, const std::string& cluster_queue,
                                     const std::string& flavor, const std::string& resource) {
  std::vector<Holder> holders;
  if (!facts.workloads) return holders;
  for (const Json& workload : *facts.workloads) {
    const Json& admission = object_at(workload, {"status", "admission"});
    if (string_at(admission, {"clusterQueue"}) != cluster_queue || !holds_quota(workload)) continue;
    Holder holder = holder_of_workload(workload);
    for (const Json& set : array_at(admission, {"podSetAssignments"}))
      if (string_at(set, {"flavors", resource}) == flavor)
        holder.amount += api::quantity_milli(string_at(set, {"resourceUsage", resource}, "0")).value_or(0);
    if (holder.amount > 0) holders.push_back(std::move(holder));
  }
  std::stable_sort(holders.begin(), holders.end(),
                   [](const Holder& a, const Holder& b) { return a.amount > b.amount; });
  return holders;
}

int64_t nominal_quota(const Json& cluster_queue, const std::string& flavor, const std::string& resource) {
  int64_t found = 0;
  visit_quotas(cluster_queue, [&](const Json& one, const Json& quota) {
    if (api::entry_name(one) == flavor && api::entry_name(quota) == resource)
      found = api::amounts_of(quota)["nominalQuota"];
  });
  return found;
}

std::optional<std::pair<int, int>> partly_admitted(const Json& workload) {
  int admitted = 0, asked = 0;
  for (const Json& set : array_at(workload, {"status", "admission", "podSetAssignments"}))
    admitted += static_cast<int>(int_at(set, {"count"}));
  for (const Json& set : array_at(workload, {"spec", "podSets"}))
    asked += static_cast<int>(int_at(set, {"count"}, 1));
  if (admitted == 0 || admitted >= asked) return {};
  return std::pair(admitted, asked);
}

const Json* workload_with_uid(const Facts& facts, const std::string& uid) {
  if (!facts.workloads || uid.empty()) return nullptr;
  for (const Json& workload : *facts.workloads) {
    if (api::uid_of(workload) == uid) return &workload;
    for (const Json& owner : api::owners_of(workload))
      if (api::entry_uid(owner) == uid) return &workload;
  }
  return nullptr;
}

}  // namespace kml::job
