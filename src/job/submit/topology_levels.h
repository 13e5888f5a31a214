#pragma once

#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Replaces the short name of a level in the objects' pod templates, such as "rack", by the node label that
/// Kueue's Topologies have for it. Sends no requests if no template has a short name. Throws Error if no
/// Topology, or more than one, has such a level, or if the user may not read the Topologies.
void use_topology_levels(kube::Client& client, std::vector<Json>& objects);

/// The labels that a short name such as "rack" can mean: those whose last part is the name or, if there are
/// none, ends in the name.
std::vector<std::string> labels_of_level(const std::vector<std::string>& labels, const std::string& level);

}  // namespace kml::job
