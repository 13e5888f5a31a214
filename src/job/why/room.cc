#include "job/why/room.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "job/capacity/node_rules.h"
#include "kml/base/text.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/pod_fit.h"

namespace kml::job {

using api::Amounts;

bool is_embedded(const Room& room) {
  return string_at(*room.node, {"status", "nodeInfo", "kubeletVersion"}).starts_with("kml-");
}

std::vector<Room> rooms_of(const std::vector<Json>& nodes, const std::vector<Json>& active_pods) {
  std::vector<Room> rooms;
  std::map<std::string, size_t> by_name;
  for (const Json& node : nodes) {
    const Amounts total = api::allocatable_of(node);
    by_name[api::name_of(node)] = rooms.size();
    rooms.push_back({&node, total, total, {}});
  }
  for (const Json& pod : active_pods) {
    if (api::pod_has_ended(pod)) continue;
    const auto there = by_name.find(api::node_of(pod));
    if (there == by_name.end()) continue;
    Room& room = rooms[there->second];
    api::subtract(room.free, api::pod_requests(api::spec_of(pod)));
    room.pods.push_back(&pod);
  }
  return rooms;
}

void reserve_nominated(std::vector<Room>& rooms, const std::vector<Json>& active_pods, const Facts& facts,
                       long long priority) {
  for (const Json& pod : active_pods) {
    if (api::pod_has_ended(pod) || api::is_being_deleted(pod) || !api::node_of(pod).empty() ||
        api::priority_of(pod) < priority || is_own_pod(facts, pod))
      continue;
    const std::string node = api::nominated_node_of(pod);
    const auto room = std::find_if(rooms.begin(), rooms.end(), [&](const Room& one) {
      return !node.empty() && api::name_of(*one.node) == node;
    });
    if (room == rooms.end()) continue;
    api::subtract(room->free, api::pod_requests(api::spec_of(pod)));
    room->pods.push_back(&pod);
  }
}

int64_t amount_of(const Amounts& amounts, const std::string& name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? 0 : std::max<int64_t>(found->second, 0);
}

std::vector<std::string> by_value(const Amounts& requests) {
  std::vector<std::string> order;
  for (const auto& [name, amount] : requests)
    order.insert(name.find('/') == name.npos ? order.end() : order.begin(), name);
  return order;
}

Choice choose(const std::vector<Room>& rooms, const Json& pod_spec, const Amounts& requests) {
  Choice choice;
  for (const Room& room : rooms) choice.rooms.push_back(&room);
  if (rooms.empty()) return {Obstacle::no_nodes, {}};
  /// Keeps only suitable nodes. Returns false if none are left.
  const auto keep = [&](Obstacle obstacle, auto would_do) {
    std::vector<const Room*> left;
    for (const Room* room : choice.rooms)
      if (would_do(*room)) left.push_back(room);
    if (left.empty())
      choice.obstacle = obstacle;
    else
      choice.rooms = std::move(left);
    return choice.obstacle == Obstacle::none;
  };
  keep(Obstacle::labels, [&](const Room& room) { return missing_labels(*room.node, pod_spec).empty(); }) &&
      keep(Obstacle::too_large, [&](const Room& room) { return api::fits(requests, room.total); }) &&
      keep(Obstacle::taint,
           [&](const Room& room) { return untolerated_taints(*room.node, pod_spec).empty(); }) &&
      keep(Obstacle::cordoned,
           [&](const Room& room) { return !api::is_cordoned_for(*room.node, pod_spec); }) &&
      keep(Obstacle::not_ready, [](const Room& room) { return is_ready(*room.node); }) &&
      keep(Obstacle::held, [&](const Room& room) { return api::fits(requests, room.free); });
  return choice;
}

std::vector<const Json*> place(const std::vector<const Json*>& pod_specs, std::vector<Room>& rooms) {
  std::vector<const Json*> left;
  for (const Json* spec : pod_specs) {
    const Amounts requests = api::pod_requests(*spec);
    const auto room = std::find_if(rooms.begin(), rooms.end(), [&](const Room& candidate) {
      return api::fits(requests, candidate.free) && refusal_of_node(*candidate.node, *spec).empty();
    });
    if (room == rooms.end()) {
      left.push_back(spec);
      continue;
    }
    api::subtract(room->free, requests);
  }
  return left;
}

std::vector<Room> without(std::vector<Room> rooms, const std::set<const Json*>& pods) {
  for (Room& room : rooms)
    std::erase_if(room.pods, [&](const Json* pod) {
      if (!pods.contains(pod)) return false;
      api::add(room.free, api::pod_requests(api::spec_of(*pod)));
      return true;
    });
  return rooms;
}

size_t most_beside_own(const Facts& facts, const std::vector<const Json*>& pod_specs,
                       const std::vector<Room>& rooms) {
  std::set<const Json*> others;
  for (const Room& room : rooms)
    for (const Json* pod : room.pods)
      if (!is_own_pod(facts, *pod)) others.insert(pod);
  std::vector<Room> without_others = without(rooms, others);
  return pod_specs.size() - place(pod_specs, without_others).size();
}

namespace {

std::vector<const Json*> all_pods(const std::vector<Room>& rooms) {
  std::vector<const Json*> pods;
  for (const Room& room : rooms) pods.insert(pods.end(), room.pods.begin(), room.pods.end());
  return pods;
}

bool all_placed(const std::vector<const Json*>& pod_specs, std::vector<Room> rooms) {
  return place(pod_specs, rooms).empty();
}

}  // namespace

JobKey key_of(const Holder& holder) {
  return {holder.namespace_name, holder.kind, holder.name};
}

std::string in_words(const Holder& holder) {
  return (holder.is_served ? "served program " : holder.kind == "Pod" ? "pod " : "") + holder.name;
}

Holder holder_of_pod(const Json& pod) {
  Holder holder{"Pod", api::namespace_of(pod), api::name_of(pod), api::label_of(pod, api::kUser)};
  const std::string key = job_key_of_pod(pod), program = served_program_of(pod);
  if (!key.empty()) {
    KeyParts parts = parts_of_key(key);
    holder.kind = std::move(parts.kind);
    holder.name = std::move(parts.name);
  } else if (!program.empty()) {
    holder.kind = "Deployment";
    holder.name = program;
  }
  holder.is_served = !program.empty();
  if (find(pod, {"spec", "priority"})) holder.priority = api::priority_of(pod);
  return holder;
}

std::vector<Holder> holders_of(const std::vector<const Json*>& pods, const std::string& resource) {
  return holders_of(pods, [&](const Json& pod) {
    return api::pod_has_ended(pod) ? 0 : amount_of(api::pod_requests(api::spec_of(pod)), resource);
  });
}

std::vector<Holder> holders_of(const std::vector<const Json*>& pods,
                               const std::function<int64_t(const Json& pod)>& amount) {
  std::map<JobKey, Holder> by_key;
  for (const Json* pod : pods) {
    const int64_t held = amount(*pod);
    if (held <= 0) continue;
    Holder holder = holder_of_pod(*pod);
    holder.is_stopping = true;
    Holder& all = by_key.try_emplace(key_of(holder), holder).first->second;
    all.amount += held;
    all.is_stopping = all.is_stopping && api::is_being_deleted(*pod);
  }
  std::vector<Holder> holders;
  for (auto& [key, holder] : by_key) holders.push_back(std::move(holder));
  std::stable_sort(holders.begin(), holders.end(),
                   [](const Holder& a, const Holder& b) { return a.amount > b.amount; });
  return holders;
}

std::vector<Holder> holders_of_any(const std::vector<const Json*>& pods,
                                   const std::vector<Shortfall>& shortfalls) {
  std::vector<Holder> holders;
  std::set<JobKey> known;
  for (const Shortfall& one : shortfalls)
    for (Holder& holder : holders_of(pods, one.resource)) {
      if (!known.insert(key_of(holder)).second) continue;
      if (&one != shortfalls.data())
        holder.amount = 0;  // it would be taken for an amount of the first resource
      holders.push_back(std::move(holder));
    }
  return holders;
}

std::string holders_text(const std::vector<Holder>& holders,
                         const std::function<std::string(const Holder&)>& amounts) {
  std::vector<std::string> texts;
  for (const Holder& holder : holders) {
    std::vector<std::string> about;
    if (!holder.user.empty()) about.push_back(holder.user);
    if (holder.priority) about.push_back(fmt::format("priority {}", *holder.priority));
    if (holder.is_stopping) about.emplace_back("stopping");
    const std::string held = amounts(holder);
    texts.push_back(in_words(holder) + (about.empty() ? "" : " (" + join(about, ", ") + ")") +
                    (held.empty() ? "" : ": " + held));
  }
  return some_of(texts);
}

std::string holders_text(const std::vector<Holder>& holders, const std::string& resource) {
  return holders_text(holders, [&](const Holder& holder) {
    return holder.amount > 0 ? amount_text(resource, holder.amount) : "";
  });
}

std::string amounts_text(const std::vector<std::pair<std::string, int64_t>>& amounts) {
  std::vector<std::string> texts;
  for (const auto& [resource, amount] : amounts)
    if (amount > 0) texts.push_back(amount_text(resource, amount));
  const std::string last = texts.empty() ? "" : std::move(texts.back());
  if (!texts.empty()) texts.pop_back();
  return texts.empty() ? last : join(texts, ", ") + " and " + last;
}

std::string missing_text(const std::vector<Shortfall>& shortfalls) {
  std::vector<std::pair<std::string, int64_t>> missing;
  for (const Shortfall& one : shortfalls) missing.emplace_back(one.resource, one.missing);
  return amounts_text(missing);
}

namespace {

constexpr std::string_view kCancelWords = "kml cancel", kStopWords = "kml serve stop";

/// The command that ends the holder.
std::string_view words_to_end(const Holder& holder) {
  if (holder.is_served) return kStopWords;
  for (const JobKind* kind : described_kinds())
    if (kind->name == holder.kind && kind->cancel.is_null()) return "kml delete";
  return kCancelWords;
}

}  // namespace

std::string_view verb_to_free(const std::vector<Holder>& holders) {
  const auto all_by = [&](std::string_view words) {
    return std::ranges::all_of(holders, [&](const Holder& holder) { return words_to_end(holder) == words; });
  };
  return all_by(kCancelWords) ? "cancelling" : all_by(kStopWords) ? "stopping" : "ending";
}

std::string command_to_free(const std::vector<Holder>& holders, const std::string& namespace_name) {
  std::map<std::pair<std::string, std::string_view>, std::string> names;  // by namespace and command
  for (const Holder& holder : holders) {
    if (holder.kind == "Pod") return {};
    names[{holder.namespace_name, words_to_end(holder)}] += " " + holder.name;
  }
  std::vector<std::string> commands;
  for (const auto& [place, of_place] : names) {
    const auto& [where, words] = place;
    commands.push_back(std::string(words) + (where == namespace_name ? "" : " -n " + where) + of_place);
  }
  return join(commands, " && ");
}

std::optional<long long> priority_in_the_way(const std::vector<const Json*>& pod_specs,
                                             const std::vector<Room>& rooms) {
  std::map<long long, std::set<const Json*>> by_priority;
  for (const Json* pod : all_pods(rooms)) by_priority[api::priority_of(*pod)].insert(pod);
  std::set<const Json*> gone;
  for (auto& [priority, pods] : by_priority) {
    gone.merge(pods);
    if (all_placed(pod_specs, without(rooms, gone))) return priority;
  }
  return {};
}

}  // namespace kml::job
