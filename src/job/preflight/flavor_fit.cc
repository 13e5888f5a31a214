#include "job/preflight/flavor_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "job/capacity/kueue_api.h"
#include "job/capacity/queue_room.h"
#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/pod_fit.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

namespace {

CellRoom quota_room_of(const Json& cluster_queue, const std::vector<Json>& cohort, const QuotaCell& cell) {
  std::vector<CellQuota> shared;
  for (const Json& queue : cohort)
    if (cohort_of(queue) == cohort_of(cluster_queue)) shared.push_back(cell_quota_of(queue, cell));
  return cell_room(cell_quota_of(cluster_queue, cell), shared);
}

/// An amount in the form that Kueue's messages use, because `kml why` parses those.
std::string quantity(int64_t milli) {
  return milli % 1000 == 0 ? std::to_string(milli / 1000) : std::to_string(milli) + "m";
}

/// Finds flavors for each set of equal pods, one set after another.
class FlavorSearch {
 public:
  FlavorSearch(const Json& cluster_queue, const std::vector<Json>& cohort, const std::vector<Json>& flavors)
      : cluster_queue_(cluster_queue), cohort_(cohort), flavors_(flavors) {}

  std::string refusal(const PodsWanted& pods) {
    api::Amounts requests = api::pod_requests(pods.spec);
    requests.erase("pods");
    for (auto& [resource, amount] : requests) amount *= pods.count;
    std::set<std::string> covered;
    for (const Json& group : array_at(cluster_queue_, {"spec", "resourceGroups"})) {
      api::Amounts own;
      for (const Json& resource : array_at(group, {"coveredResources"}))
        if (const auto found = requests.find(resource.get<std::string>()); found != requests.end()) {
          own.insert(*found);
          covered.insert(found->first);
        }
      if (!own.empty() && !place(group, own, pods.spec)) return join(std::exchange(reasons_, {}), ", ");
    }
    for (const auto& [resource, amount] : requests)
      if (amount > 0 && !covered.contains(resource))
        return fmt::format("resource {} unavailable in ClusterQueue", resource);
    return {};
  }

 private:
  /// Takes the first flavor in the group that has room for all these resources.
  bool place(const Json& group, const api::Amounts& requests, const Json& spec) {
    reasons_.clear();
    for (const Json& flavor : array_at(group, {"flavors"})) {
      const std::string name = api::entry_name(flavor);
      if (!suits(group, name, spec)) continue;
      bool fits = true;
      for (const auto& [resource, amount] : requests) fits = check_room({name, resource}, amount) && fits;
      if (!fits) continue;
      for (const auto& [resource, amount] : requests) taken_[{name, resource}] += amount;
      return true;
    }
    return false;
  }

  bool check_room(const QuotaCell& cell, int64_t amount) {
    const CellRoom room = quota_room_of(cluster_queue_, cohort_, cell);
    const int64_t before = taken_[cell];
    if (before + amount > room.most) {
      reasons_.push_back(
          fmt::format("insufficient quota for {} in flavor {}, previously considered podsets requests ({}) "
                      "+ current podset request ({}) > maximum capacity ({})",
                      cell.resource, cell.flavor, quantity(before), quantity(amount), quantity(room.most)));
      return false;
    }
    if (before + amount <= room.free) return true;
    reasons_.push_back(fmt::format("insufficient unused quota for {} in flavor {}, {} more needed",
                                   cell.resource, cell.flavor, quantity(before + amount - room.free)));
    return false;
  }

  const Json* flavor_of(const std::string& name) const {
    const auto found = std::find_if(flavors_.begin(), flavors_.end(),
                                    [&](const Json& flavor) { return api::name_of(flavor) == name; });
    return found == flavors_.end() ? nullptr : &*found;
  }

  /// Whether pods with that spec may run on the flavor's nodes. Of their node selectors, Kueue only considers
  /// labels that a flavor in the group has.
  bool suits(const Json& group, const std::string& name, const Json& spec) {
    const Json* flavor = flavor_of(name);
    if (!flavor) return true;
    std::set<std::string> keys;
    for (const Json& one : array_at(group, {"flavors"}))
      if (const Json* other = flavor_of(api::entry_name(one)))
        for (const auto& [key, value] : object_at(*other, {"spec", "nodeLabels"}).items()) keys.insert(key);
    const Json node = {{"metadata", {{"labels", object_at(*flavor, {"spec", "nodeLabels"})}}}};
    Json selection = spec;
    for (const Json& toleration : array_at(*flavor, {"spec", "tolerations"}))
      selection["tolerations"].push_back(toleration);
    Json selector = Json::object();
    for (const auto& [key, value] : object_at(spec, {"nodeSelector"}).items())
      if (keys.contains(key)) selector[key] = value;
    selection["nodeSelector"] = selector;
    if (!api::missing_node_labels(node, selection).empty()) {
      reasons_.push_back(fmt::format("flavor {} doesn't match node affinity", name));
      return false;
    }
    for (const Json& taint : array_at(*flavor, {"spec", "nodeTaints"}))
      if (api::keeps_pods_off(taint) && !api::tolerates(selection, taint)) {
        reasons_.push_back(fmt::format("untolerated taint {} in flavor {}", api::taint_text(taint), name));
        return false;
      }
    return true;
  }

  const Json& cluster_queue_;
  const std::vector<Json>&cohort_, &flavors_;
  std::map<QuotaCell, int64_t> taken_;
  std::vector<std::string> reasons_;
};

}  // namespace

std::string flavor_refusal(const std::vector<PodsWanted>& wanted, const Json& cluster_queue,
                           const std::vector<Json>& cohort, const std::vector<Json>& flavors) {
  FlavorSearch search(cluster_queue, cohort, flavors);
  for (const PodsWanted& pods : wanted)
    if (std::string reason = search.refusal(pods); !reason.empty())
      return "couldn't assign flavors to pod set: " + reason;
  return {};
}

}  // namespace kml::job
