#pragma once

#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Replaces short names of levels, such as "rack", in the objects' pod templates by the node labels of
/// Kueue's Topologies. Sends no requests if the templates have no short names. Throws Error if no label or
/// several labels match a short name, or if the user may not read the Topologies.
void use_topology_levels(kube::Client& client, std::vector<Json>& objects);

/// The labels that a short name such as "rack" can mean: the labels whose last part is "rack". If there are
/// none, the labels whose last part ends in "-rack", ".rack" or "_rack".
std::vector<std::string> labels_of_level(const std::vector<std::string>& labels, const std::string& level);

}  // namespace kml::job
