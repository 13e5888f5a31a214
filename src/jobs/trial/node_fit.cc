#include "jobs/trial/node_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "jobs/trial/node_rules.h"
#include "kml/api/quantity.h"
#include "kml/core/text.h"
#include "kml/jobs/capacity.h"
#include "kml/jobs/kinds.h"

namespace kml::jobs {

namespace {

using api::Amounts;
using api::amounts_of;

std::string amount_text(const std::string& name, int64_t milli) {
  const double amount = static_cast<double>(milli) / 1000;
  constexpr double kGib = 1024.0 * 1024 * 1024;
  if (name == "memory" || name == "ephemeral-storage" || name.starts_with("hugepages-"))
    return fmt::format("{:.3g} GiB of {}", amount / kGib, name);
  const bool is_gpu = name.ends_with("/gpu");
  const std::string noun = is_gpu ? "GPU" : name == "cpu" ? "CPU" : name == "pods" ? "pod" : name;
  return fmt::format("{:g} {}{}", amount, noun, milli == 1000 || noun == name ? "" : "s");
}

struct Room {
  const Json* node;
  Amounts free;
};

bool fits(const Amounts& wanted, const Amounts& free) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    auto there = free.find(entry.first);
    return there != free.end() && there->second >= entry.second;
  });
}

/// How many of these pods cannot be placed; those that can take their room.
int place(const PodsWanted& wanted, std::vector<Room>& rooms) {
  const Amounts requests = requests_of(wanted.spec);
  int left = wanted.count;
  for (Room& room : rooms) {
    if (!refusal_of_node(*room.node, wanted.spec).empty()) continue;
    for (; left > 0 && fits(requests, room.free); --left)
      for (const auto& [name, amount] : requests) room.free[name] -= amount;
  }
  return left;
}

/// Why one pod would find no node though all were empty; nothing where it would find one.
std::optional<std::string> never_fits(const PodsWanted& wanted, const std::vector<Room>& rooms) {
  std::map<std::string, int> refusals;
  Amounts largest;
  bool has_candidate = false;
  const Amounts requests = requests_of(wanted.spec);
  for (const Room& room : rooms) {
    if (const std::string refusal = refusal_of_node(*room.node, wanted.spec); !refusal.empty()) {
      ++refusals[refusal];
      continue;
    }
    if (fits(requests, room.free)) return {};
    has_candidate = true;
    for (const auto& [name, amount] : room.free) largest[name] = std::max(largest[name], amount);
  }
  if (rooms.empty()) return "there are none";
  if (!has_candidate) {
    std::vector<std::string> reasons;
    for (const auto& [reason, count] : refusals) reasons.push_back(fmt::format("{} {}", count, reason));
    return fmt::format("of {}, {}", rooms.size(), join(reasons, ", "));
  }
  for (const auto& [name, amount] : requests)
    if (largest[name] < amount)
      return fmt::format("a pod asks for {}, the largest node has {}", amount_text(name, amount),
                         largest[name] == 0 ? "none" : amount_text(name, largest[name]));
  return "a pod asks for more than any one node has of all that it needs";
}

/// The jobs that hold most of a resource on the nodes that would do.
std::string holders(const std::string& resource, const std::vector<Json>& pods,
                    const std::set<std::string>& nodes) {
  constexpr size_t kNamed = 3;
  std::map<std::string, int64_t> held;
  for (const Json& pod : pods) {
    if (!nodes.contains(string_at(pod, {"spec", "nodeName"}))) continue;
    const Amounts requests = requests_of(object_at(pod, {"spec"}));
    const std::string key = job_key_of_pod(pod);
    if (auto found = requests.find(resource); found != requests.end())
      held[key.empty() ? "pod " + string_at(pod, {"metadata", "name"}) : key.substr(key.find('/') + 1)] +=
          found->second;
  }
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [name, amount] : held) order.emplace_back(-amount, name);
  std::sort(order.begin(), order.end());
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(order.size(), kNamed); ++i) names.push_back(order[i].second);
  return join(names, ", ") +
         (order.size() > kNamed ? fmt::format(" and {} more", order.size() - kNamed) : "");
}

/// What is short by how much: of the whole, where that is more than is free, else of a node's worth.
std::string shortfall(const PodsWanted& wanted, int left, const std::vector<Room>& free,
                      const std::vector<Json>& pods) {
  const Amounts requests = requests_of(wanted.spec);
  Amounts best;
  std::set<std::string> nodes;
  for (const Room& room : free) {
    if (!refusal_of_node(*room.node, wanted.spec).empty()) continue;
    nodes.insert(string_at(*room.node, {"metadata", "name"}));
    for (const auto& [name, amount] : room.free) best[name] = std::max(best[name], amount);
  }
  std::vector<std::string> order;  // what is dear first
  for (const auto& [name, amount] : requests)
    order.insert(name.find('/') == name.npos ? order.end() : order.begin(), name);
  for (const std::string& name : order) {
    const int64_t missing = requests.at(name) * left - std::max<int64_t>(best[name], 0);
    if (best[name] >= requests.at(name)) continue;
    const std::string by = holders(name, pods, nodes);
    return amount_text(name, missing) + (by.empty() ? "" : " held by " + by);
  }
  return "room on one node for all that a pod asks for";
}

}  // namespace

Forecast forecast(const std::vector<PodsWanted>& wanted, const std::vector<Json>& nodes,
                  const std::vector<Json>& pods) {
  using Verdict = Forecast::Verdict;
  std::vector<Room> empty;
  for (const Json& node : nodes)
    empty.push_back({&node, amounts_of(object_at(node, {"status", "allocatable"}))});
  std::vector<Room> free = empty;
  for (const Json& pod : pods)
    for (Room& room : free)
      if (string_at(*room.node, {"metadata", "name"}) == string_at(pod, {"spec", "nodeName"}))
        for (const auto& [name, amount] : requests_of(object_at(pod, {"spec"}))) room.free[name] -= amount;

  for (const PodsWanted& group : wanted)
    if (auto why = never_fits(group, empty)) return {Verdict::never, "cannot run on today's nodes: " + *why};
  std::vector<Room> all = empty;
  for (const PodsWanted& group : wanted)
    if (const int left = place(group, all); left > 0)
      return {Verdict::never,
              fmt::format("cannot run on today's nodes: {} of {} pods find no room though all else were gone",
                          left, group.count)};
  for (const PodsWanted& group : wanted) {
    const int left = place(group, free);
    if (left > 0) return {Verdict::waits, "would wait for " + shortfall(group, left, free, pods)};
  }
  return {Verdict::starts, "starts now"};
}

}  // namespace kml::jobs
