#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/api/quantity.h"
#include "kml/core/json.h"
#include "kml/jobs/capacity/capacity.h"

namespace kml::jobs {

/// A node and what is free on it.
struct Room {
  const Json* node;
  api::Amounts total, free;
  std::vector<const Json*> pods;  ///< on it, those that have not ended
};

/// `active_pods` are those of all namespaces that have not ended.
std::vector<Room> rooms_of(const std::vector<Json>& nodes, const std::vector<Json>& active_pods);

/// Resources, those that are dear (GPUs) first.
std::vector<std::string> by_value(const api::Amounts& requests);

/// What keeps a pod off the nodes.
enum class Obstacle { none, no_nodes, labels, too_large, taint, cordoned, not_ready, held };

/// The nodes that are left when those are put aside that do not do, in the order of what a person means by a
/// request: first those without the labels, then the too small, the tainted, the cordoned, those not ready,
/// the full ones. `obstacle` is the step after which none was left.
struct Choice {
  Obstacle obstacle = Obstacle::none;
  std::vector<const Room*> rooms;  ///< left before that step
};
Choice choose(const std::vector<Room>& rooms, const Json& pod_spec, const api::Amounts& requests);

/// Places as many of these pods as have room on the nodes, and takes the room away. Returns those that have
/// none.
std::vector<const Json*> place(const std::vector<const Json*>& pod_specs, std::vector<Room>& rooms);

/// The rooms as they would be without these pods.
std::vector<Room> without(std::vector<Room> rooms, const std::set<const Json*>& pods);

}  // namespace kml::jobs
