#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "job/why/facts.h"
#include "kml/base/json.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

/// A node and its free resources.
struct Room {
  const Json* node;
  api::Amounts total, free;
  std::vector<const Json*> pods;  ///< the node's pods that have not ended
};

/// Whether this is the embedded server's node.
bool is_embedded(const Room& room);

/// The nodes, with those of `active_pods` that have not ended.
std::vector<Room> rooms_of(const std::vector<Json>& nodes, const std::vector<Json>& active_pods);

/// Reserves room for nominated pods, as the scheduler does: waiting pods for which other pods are being
/// preempted. Adds these waiting pods to the pods of their nodes. Leaves out pods with a priority below
/// `priority`, and the pods of the job in `facts`.
void reserve_nominated(std::vector<Room>& rooms, const std::vector<Json>& active_pods, const Facts& facts,
                       long long priority);

/// At least 0.
int64_t amount_of(const api::Amounts& amounts, const std::string& name);

/// The names of the resources, scarce ones (such as GPUs) first.
std::vector<std::string> by_value(const api::Amounts& requests);

/// The obstacle that keeps a pod off the nodes.
enum class Obstacle { none, no_nodes, labels, too_large, taint, cordoned, not_ready, held };

/// The result of removing unsuitable nodes step by step: first the nodes without the labels, then nodes that
/// are too small, tainted, cordoned, not ready, or full. `obstacle` is the step that removed the last node.
struct Choice {
  Obstacle obstacle = Obstacle::none;
  std::vector<const Room*> rooms;  ///< the nodes that were left before the step that removed the last one
};
Choice choose(const std::vector<Room>& rooms, const Json& pod_spec, const api::Amounts& requests);

/// Places as many of these pods on the nodes as fit, and reduces the nodes' free resources. Returns the pods
/// that do not fit.
std::vector<const Json*> place(const std::vector<const Json*>& pod_specs, std::vector<Room>& rooms);

/// The nodes and their free resources as they would be without these pods.
std::vector<Room> without(std::vector<Room> rooms, const std::set<const Json*>& pods);

/// How many of these pods would fit if only the job's own pods were on the nodes.
size_t most_beside_own(const Facts& facts, const std::vector<const Json*>& pod_specs,
                       const std::vector<Room>& rooms);

/// The pod's job or served program (or the pod itself if it has none), with the pod's priority, and without
/// amounts.
Holder holder_of_pod(const Json& pod);

/// Which jobs hold a resource through these pods. Sums up the amounts by job, largest first.
std::vector<Holder> holders_of(const std::vector<const Json*>& pods, const std::string& resource);
/// Like the function above, but `amount` says how much a pod holds. Leaves out pods that hold nothing.
std::vector<Holder> holders_of(const std::vector<const Json*>& pods,
                               const std::function<int64_t(const Json& pod)>& amount);

/// Which jobs hold the missing resources. Only the jobs that hold the first of these resources have an
/// amount.
std::vector<Holder> holders_of_any(const std::vector<const Json*>& pods,
                                   const std::vector<Shortfall>& shortfalls);

/// Namespace, kind and name.
using JobKey = std::tuple<std::string, std::string, std::string>;
JobKey key_of(const Holder& holder);

/// The first holders in words, and the number of the others: "bert (ana, priority 10): 4 GPUs, gpt: 2 GPUs
/// and 3 more".
std::string holders_text(const std::vector<Holder>& holders, const std::string& resource);
/// Like the function above, but `amounts` says what a holder has: "1 GPU and 14 CPUs".
std::string holders_text(const std::vector<Holder>& holders,
                         const std::function<std::string(const Holder&)>& amounts);

/// Amounts in words: "1 GPU and 14 CPUs". Leaves out those that are 0.
std::string amounts_text(const std::vector<std::pair<std::string, int64_t>>& amounts);
/// What is missing, in words.
std::string missing_text(const std::vector<Shortfall>& shortfalls);

/// "cancelling" for jobs, "stopping" for served programs, otherwise "ending".
std::string_view verb_to_free(const std::vector<Holder>& holders);
/// The command that frees the resources: "kml cancel bert gpt && kml serve stop iris"; empty if a pod without
/// a job holds some of them. `namespace_name` is the waiting job's namespace.
std::string command_to_free(const std::vector<Holder>& holders, const std::string& namespace_name);

/// The priority that a pod must exceed to preempt enough pods; empty if no priority would be enough.
std::optional<long long> priority_in_the_way(const std::vector<const Json*>& pod_specs,
                                             const std::vector<Room>& rooms);

}  // namespace kml::job
