#pragma once

#include <string>
#include <vector>

#include "job/preflight/node_fit.h"
#include "kml/base/json.h"

namespace kml::job {

/// The levels of a Topology in which the pods must be together, one per pod template of the job; empty for a
/// template whose pods may be apart.
std::vector<std::string> required_levels(const Json& job);

/// Why Kueue would find no domain of these levels for the pods, in the words of its scheduler
/// (pkg/cache/scheduler/tas_flavor_snapshot.go); empty if it would find one. `wanted` has the pods of each
/// template of the job. Ignores the flavors after the first one that has a Topology, and admitted jobs
/// without pods.
std::string topology_refusal(const std::vector<PodsWanted>& wanted, const std::vector<std::string>& levels,
                             const std::vector<Json>& flavors, const std::vector<Json>& nodes,
                             const std::vector<Json>& pods);

}  // namespace kml::job
