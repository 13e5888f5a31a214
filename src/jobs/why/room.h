#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/api/quantity.h"
#include "kml/core/json.h"
#include "kml/jobs/capacity/capacity.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// A node and what is free on it.
struct Room {
  const Json* node;
  api::Amounts total, free;
  std::vector<const Json*> pods;  ///< on it, those that have not ended
};

/// `active_pods` are those of all namespaces that have not ended.
std::vector<Room> rooms_of(const std::vector<Json>& nodes, const std::vector<Json>& active_pods);

/// The names of the resources, scarce ones (GPUs) first.
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

/// The job (or the pod itself, where it is of none) that a pod is of, with the pod's priority and no amount.
Holder holder_of_pod(const Json& pod);

/// Who holds how much of a resource with these pods, summed up by job, who has most first.
std::vector<Holder> holders_of(const std::vector<const Json*>& pods, const std::string& resource);

/// "bert (ana, priority 10): 4 GPUs, gpt: 2 GPUs and 3 more".
std::string holders_text(const std::vector<Holder>& holders, const std::string& resource);

/// The command that takes them off: "kml cancel bert gpt". `namespace_name` is the asking job's own.
std::string command_to_free(const std::vector<Holder>& holders, const std::string& namespace_name);

/// Which jobs would have to go so that all these pods had room: one alone where one is enough, else several,
/// those of the lowest priority first. Empty if that is not enough either.
std::vector<Holder> enough_to_free(const std::vector<const Json*>& pod_specs, const std::vector<Room>& rooms,
                                   const std::string& resource);

/// The priority above which a pod could preempt enough; empty if no priority is enough.
std::optional<long long> priority_in_the_way(const std::vector<const Json*>& pod_specs,
                                             const std::vector<Room>& rooms);

}  // namespace kml::jobs
