#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "job/capacity/devices.h"
#include "job/why/causes.h"
#include "job/why/room.h"
#include "kml/base/pattern.h"
#include "kml/base/text.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// One way to satisfy a claim's request.
struct DeviceChoice {
  std::string name;
  int64_t count;
  const Json* selectors;
};

/// The text between two others; empty if one of them is missing.
std::string enclosed(const std::string& text, const std::string& before, const std::string& after) {
  const size_t begin = text.find(before);
  if (begin == std::string::npos) return {};
  const size_t end = text.find(after, begin + before.size());
  return end == std::string::npos ? "" : text.substr(begin + before.size(), end - begin - before.size());
}

/// Whether the device can satisfy the selectors. Understands those that `kml submit --gpus` writes, and
/// treats all other selectors as satisfied.
bool may_match(const Json& selectors, const Device& device) {
  for (const Json& selector : selectors) {
    const std::string expression = string_at(selector, {"cel", "expression"});
    if (const std::string products = enclosed(expression, "productName.replace(\" \", \"-\") in [", "]");
        !products.empty() && !contains(products, "\"" + device.product + "\""))
      return false;
    if (const std::string least = enclosed(expression, "memory.compareTo(quantity(\"", "\")) >= 0");
        !least.empty() && device.memory < api::quantity_units(least).value_or(0))
      return false;
  }
  return true;
}

std::vector<DeviceChoice> choices_of(const Json& claim) {
  static const Json none = Json::array();
  std::vector<DeviceChoice> choices;
  const auto add = [&](const std::string& name, const Json& request) {
    const Json* selectors = find(request, {"selectors"});
    choices.push_back({name, int_at(request, {"count"}, 1), selectors ? selectors : &none});
  };
  for (const Json& request : array_at(claim, {"spec", "devices", "requests"})) {
    for (const Json& choice : array_at(request, {"firstAvailable"})) add(api::entry_name(choice), choice);
    if (const Json* exactly = find(request, {"exactly"}))
      add(string_at(*exactly, {"deviceClassName"}), *exactly);
  }
  return choices;
}

/// The devices that could satisfy a choice, and whether they are free.
struct Supply {
  int64_t total = 0, used = 0;
  int64_t most_memory = 0;   ///< the memory of the largest device, if the choice demands memory; in bytes
  int64_t most_on_node = 0;  ///< the number of devices on the node that has the most
  int64_t most_without_taints =
      0;  ///< the most devices that one node would have free if no device had a taint
  std::vector<std::string> taints =
      {};  ///< the taints of free devices: "dra/unhealthy=xid:NoSchedule on gpu-2"
  std::vector<const Json*> claims = {};  ///< claims that hold the other devices
};

Supply supply_for(const DeviceChoice& choice, const std::vector<Device>& devices) {
  Supply supply;
  std::map<std::string, int64_t> all, open;
  const bool demands_memory = contains(choice.selectors->dump(), "memory.compareTo(");
  for (const Device& device : devices) {
    if (demands_memory) supply.most_memory = std::max(supply.most_memory, device.memory);
    if (!may_match(*choice.selectors, device)) continue;
    ++supply.total;
    supply.most_on_node = std::max(supply.most_on_node, ++all[device.node]);
    if (device.claim) {
      ++supply.used;
      supply.claims.push_back(device.claim);
      continue;
    }
    supply.most_without_taints = std::max(supply.most_without_taints, ++open[device.node]);
    for (const std::string& taint : device.taints) supply.taints.push_back(taint + " on " + device.node);
  }
  return supply;
}

/// The objects; none if they were not read.
const std::vector<Json>& listed(const Facts::Objects& objects) {
  static const std::vector<Json> none;
  return objects ? *objects : none;
}

using PodsByName = std::map<std::string, const Json*>;

/// The pods that were read, by their full names.
PodsByName pods_by_name(const Facts& facts) {
  PodsByName pods;
  for (const Json& pod : listed(facts.active_pods)) pods.emplace(api::full_name_of(pod), &pod);
  return pods;
}

std::vector<Holder> holders_of_claims(const PodsByName& pods, const std::vector<const Json*>& claims) {
  std::map<JobKey, Holder> by_key;
  for (const Json* claim : claims)
    for (const std::string& user : users_of_claim(*claim))
      if (const auto pod = pods.find(user); pod != pods.end()) {
        const Holder holder = holder_of_pod(*pod->second);
        by_key.try_emplace(key_of(holder), holder).first->second.amount += api::kMilli;
      }
  std::vector<Holder> holders;
  for (auto& [key, holder] : by_key) holders.push_back(std::move(holder));
  std::ranges::stable_sort(holders, std::greater(), &Holder::amount);
  return holders;
}

/// The only job whose pods use the claim, without an amount; empty if there are several, or if it is unknown.
std::optional<Holder> holder_of_claim(const PodsByName& pods, const Json& claim) {
  std::vector<Holder> holders = holders_of_claims(pods, {&claim});
  if (holders.size() != 1) return {};
  holders[0].amount = 0;
  return std::move(holders[0]);
}

/// The fewest jobs whose end would free enough of a node's devices for the choice. `devices` are the node's.
/// Empty if no jobs would.
std::vector<Holder> fewest_on_node(const PodsByName& pods, const DeviceChoice& choice,
                                   const std::vector<const Device*>& devices) {
  int64_t missing = choice.count;
  std::map<JobKey, Holder> by_key;
  for (const Device* device : devices) {
    if (!device->taints.empty() || !may_match(*choice.selectors, *device)) continue;
    if (!device->claim) --missing;
    if (const auto holder = device->claim ? holder_of_claim(pods, *device->claim) : std::nullopt)
      by_key.try_emplace(key_of(*holder), *holder).first->second.amount += api::kMilli;
  }
  std::vector<Holder> largest_first;
  for (auto& [key, holder] : by_key) largest_first.push_back(std::move(holder));
  std::stable_sort(largest_first.begin(), largest_first.end(), [](const Holder& a, const Holder& b) {
    return std::pair(-a.amount, a.priority.value_or(0)) < std::pair(-b.amount, b.priority.value_or(0));
  });
  std::vector<Holder> ended;
  for (size_t i = 0; missing > 0 && i < largest_first.size(); ++i) {
    missing -= largest_first[i].amount / api::kMilli;
    ended.push_back(std::move(largest_first[i]));
  }
  return missing > 0 ? std::vector<Holder>() : ended;
}

/// Whether the claim decides alone when the job starts: it has a single request, no other pod waits for
/// devices, and every node lacks only devices.
bool is_decided_by_claim(const Facts& facts, const Json& claim, const std::string& message) {
  static const Pattern all_nodes(R"(^0/([0-9]+) nodes are available: ([0-9]+) cannot allocate all claims)");
  const std::vector<std::string_view> counts = all_nodes.find_groups(message, 0);
  const auto waits = [](const Json& pod) {
    return api::node_of(pod).empty() && !array_at(pod, {"spec", "resourceClaims"}).empty();
  };
  return counts.size() == 3 && counts[1] == counts[2] &&
         array_at(claim, {"spec", "devices", "requests"}).size() == 1 &&
         std::ranges::count_if(listed(facts.active_pods), waits) <= 1;
}

/// The fewest jobs whose end would let this job start. Of the smallest sets of the nodes, the one with the
/// lowest sum of priorities. Empty if it is unknown.
std::vector<Holder> fewest_to_start(const Facts& facts, const Json& claim, const std::string& message,
                                    const std::vector<Device>& devices) {
  std::vector<Holder> best;
  if (!is_decided_by_claim(facts, claim, message)) return best;
  const auto worth = [](const std::vector<Holder>& ended) {
    long long priority = 0;
    for (const Holder& holder : ended) priority += holder.priority.value_or(0);
    return std::pair(ended.size(), priority);
  };
  const PodsByName pods = pods_by_name(facts);
  std::map<std::string, std::vector<const Device*>> by_node;
  for (const Device& device : devices) by_node[device.node].push_back(&device);
  for (const DeviceChoice& choice : choices_of(claim))
    for (const auto& [node, on_it] : by_node)
      if (std::vector<Holder> ended = fewest_on_node(pods, choice, on_it);
          !ended.empty() && (best.empty() || worth(ended) < worth(best)))
        best = std::move(ended);
  return best;
}

std::string supply_in_words(const DeviceChoice& choice, const Supply& supply) {
  const std::string what = fmt::format("{} × {}: ", choice.count, choice.name);
  constexpr int64_t kMebibyte = 1 << 20;
  if (supply.total == 0 && supply.most_memory > 0)
    return what + fmt::format("the largest device has {} MiB of memory", supply.most_memory / kMebibyte);
  if (supply.total == 0) return what + "no node has such devices";
  if (supply.most_on_node < choice.count)
    return what + fmt::format("no node has more than {}", supply.most_on_node);
  if (!supply.taints.empty() && supply.most_without_taints >= choice.count)
    return what + "taint " + join(supply.taints, ", ");
  return what + fmt::format("{} of {} are in use", supply.used, supply.total);
}

Cause explained(const Facts& facts, const Json& claim, const std::string& message) {
  const std::vector<Device> devices = devices_of(*facts.slices, listed(facts.resource_claims));
  std::vector<std::string> texts;
  std::vector<const Json*> claims;
  bool could_fit = false, is_tainted = false;
  for (const DeviceChoice& choice : choices_of(claim)) {
    const Supply supply = supply_for(choice, devices);
    texts.push_back(supply_in_words(choice, supply));
    could_fit = could_fit || supply.most_on_node >= choice.count;
    is_tainted = is_tainted || (!supply.taints.empty() && supply.most_without_taints >= choice.count);
    claims.insert(claims.end(), supply.claims.begin(), supply.claims.end());
  }
  const CauseCode code = is_tainted ? CauseCode::device_tainted : CauseCode::claim_pending;
  Cause cause =
      make_cause(code, is_tainted ? "its devices have a taint" : "no free devices: " + join(texts, "; "),
                 "no node can satisfy its resource claim " + api::name_of(claim) + ": " + join(texts, "; "));
  cause.object = "resourceclaim " + api::name_of(claim);
  cause.holders = holders_of_claims(pods_by_name(facts), claims);
  if (!could_fit) {
    cause.outlook = Outlook::never;
    cause.remedies = {{"submit it again for devices that a node has", "kml submit --gpus 'TYPE|TYPE:N' …"}};
  } else if (is_tainted) {
    cause.remedies = {{"ask the cluster's administrator to repair the device, or to remove the taint", ""}};
  } else {
    const std::vector<Holder> ended = fewest_to_start(facts, claim, message, devices);
    const std::string command = ended.empty() ? "" : command_to_free(ended, api::namespace_of(facts.job));
    cause.remedies = {{command.empty() ? "wait" : "wait, or free enough", command}};
  }
  return cause;
}

}  // namespace

std::optional<Cause> claim_cause(const Facts& facts, const Json& pod, const std::string& message) {
  if (array_at(pod, {"spec", "resourceClaims"}).empty()) return {};
  constexpr std::array<std::string_view, 1> kFailed = {"FailedResourceClaimCreation"};
  if (message.empty()) {
    const Json* failed = newest_event(facts, pod, kFailed);
    if (!failed) return {};
    Cause cause = make_cause(CauseCode::claim_pending, "its resource claim cannot be created",
                             "its resource claim cannot be created: " + api::message_of(*failed));
    cause.outlook = Outlook::never;
    cause.remedies = {{"create or correct what the message names, or submit it again with --gpus", ""}};
    return cause;
  }
  if (!contains(message, "cannot allocate all claims") && !contains(message, "resourceclaim")) return {};
  Cause cause = make_cause(CauseCode::claim_pending, "no free devices for its resource claim",
                           "no node has free devices for its resource claim");
  for (const Json& status : array_at(pod, {"status", "resourceClaimStatuses"}))
    for (const Json& claim : listed(facts.resource_claims))
      if (facts.slices && api::namespace_of(claim) == api::namespace_of(pod) &&
          api::name_of(claim) == string_at(status, {"resourceClaimName"}) &&
          !find(claim, {"status", "allocation"}))
        cause = explained(facts, claim, message);
  cause.message = message;
  return cause;
}

}  // namespace kml::job
