#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/jobs/why/cause.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// Whether the cluster may get nodes that it does not have now: by what the nodes say of where they come
/// from, by the groups of its API, and by the status that the cluster autoscaler keeps. Also true if that
/// cannot be read.
bool may_get_other_nodes(kube::Client& client, const std::vector<Json>& nodes);

/// Pods alike, of which `count` run at once.
struct PodsWanted {
  Json spec;  ///< v1 PodSpec
  int count = 1;
};

/// What the scheduler would do with a job now.
struct Forecast {
  enum class Verdict { starts, waits, never };
  Verdict verdict = Verdict::starts;
  std::string text;  ///< "would wait for 4 GPUs held by bert"
};

/// Compares requests with the nodes' allocatable resources, less what the active `pods` hold; minds node
/// selectors, required node affinity, taints and cordons. A forecast: it knows no pod affinity, no volumes'
/// places, no quota, and does not count on preemption. Without `all_at_once` the pods are of an array, which
/// goes on as its pods end.
Forecast forecast(const std::vector<PodsWanted>& wanted, const std::vector<Json>& nodes,
                  const std::vector<Json>& pods, bool all_at_once = true);

/// Why one of these pods could not run though the nodes were empty and took all pods; empty if each could.
/// What a person changes on a node with a word, a taint or a cordon, counts as changed. With `all_at_once`
/// also where not all of them together have room.
std::optional<Cause> too_large_for_nodes(const std::vector<PodsWanted>& wanted,
                                         const std::vector<Json>& nodes, bool all_at_once);

}  // namespace kml::jobs
