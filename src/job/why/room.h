#pragma once

#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

/// A node and its free resources.
struct Room {
  const Json* node;
  api::Amounts total, free;
  std::vector<const Json*> pods;  ///< pods on it that have not ended
};

/// `active_pods` are the unfinished pods of all namespaces.
std::vector<Room> rooms_of(const std::vector<Json>& nodes, const std::vector<Json>& active_pods);

/// The names of the resources, scarce ones (GPUs) first.
std::vector<std::string> by_value(const api::Amounts& requests);

/// The obstacles that keep a pod off the nodes.
enum class Obstacle { none, no_nodes, labels, too_large, taint, cordoned, not_ready, held };

/// The result of removing unsuitable nodes step by step: those without the labels, then the too small,
/// tainted, cordoned, not ready and full ones. `obstacle` is the step that left no node.
struct Choice {
  Obstacle obstacle = Obstacle::none;
  std::vector<const Room*> rooms;  ///< the nodes that were left when that step began
};
Choice choose(const std::vector<Room>& rooms, const Json& pod_spec, const api::Amounts& requests);

/// Places as many of these pods on the nodes as fit, and reduces the rooms. Returns the pods that do not fit.
std::vector<const Json*> place(const std::vector<const Json*>& pod_specs, std::vector<Room>& rooms);

/// The rooms after removing these pods.
std::vector<Room> without(std::vector<Room> rooms, const std::set<const Json*>& pods);

/// The job of a pod (or the pod itself if it has no job), with the pod's priority and no amount.
Holder holder_of_pod(const Json& pod);

/// The holders of a resource among these pods, summed by job, largest first.
std::vector<Holder> holders_of(const std::vector<const Json*>& pods, const std::string& resource);

/// Namespace, kind and name.
using JobKey = std::tuple<std::string, std::string, std::string>;
JobKey key_of(const Holder& holder);

/// "bert (ana, priority 10): 4 GPUs, gpt: 2 GPUs and 3 more".
std::string holders_text(const std::vector<Holder>& holders, const std::string& resource);

/// The command that frees the resources: "kml cancel bert gpt"; empty if a pod without a job holds some.
/// `namespace_name` is that of the waiting job.
std::string command_to_free(const std::vector<Holder>& holders, const std::string& namespace_name);

/// The priority that a pod must exceed to preempt enough pods; empty if no priority is enough.
std::optional<long long> priority_in_the_way(const std::vector<const Json*>& pod_specs,
                                             const std::vector<Room>& rooms);

}  // namespace kml::job
