#include "jobs/why/room.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "jobs/capacity/node_rules.h"
#include "kml/api/object.h"
#include "kml/api/pod.h"
#include "kml/api/pod_fit.h"
#include "kml/api/pod_requests.h"
#include "kml/api/taints.h"

namespace kml::jobs {

using api::Amounts;
using api::amounts_of;
using api::fits;

std::vector<Room> rooms_of(const std::vector<Json>& nodes, const std::vector<Json>& active_pods) {
  std::vector<Room> rooms;
  std::map<std::string, size_t> by_name;
  for (const Json& node : nodes) {
    const Amounts total = amounts_of(object_at(node, {"status", "allocatable"}));
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
  /// Puts aside; false where that leaves none.
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
      keep(Obstacle::too_large, [&](const Room& room) { return fits(requests, room.total); }) &&
      keep(Obstacle::taint,
           [&](const Room& room) { return untolerated_taints(*room.node, pod_spec).empty(); }) &&
      keep(Obstacle::cordoned,
           [&](const Room& room) { return !api::is_cordoned_for(*room.node, pod_spec); }) &&
      keep(Obstacle::not_ready, [](const Room& room) { return is_ready(*room.node); }) &&
      keep(Obstacle::held, [&](const Room& room) { return fits(requests, room.free); });
  return choice;
}

std::vector<const Json*> place(const std::vector<const Json*>& pod_specs, std::vector<Room>& rooms) {
  std::vector<const Json*> left;
  for (const Json* spec : pod_specs) {
    const Amounts requests = api::pod_requests(*spec);
    const auto room = std::find_if(rooms.begin(), rooms.end(), [&](const Room& candidate) {
      return fits(requests, candidate.free) && refusal_of_node(*candidate.node, *spec).empty();
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

}  // namespace kml::jobs
