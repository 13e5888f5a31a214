#include "job/preflight/topology_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "job/preflight/planned_pods.h"
#include "job/why/room.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/topology.h"

namespace kml::job {

namespace {

bool is_of_flavor(const Json& node, const Json& flavor) {
  for (const auto& [key, value] : object_at(flavor, {"spec", "nodeLabels"}).items())
    if (api::label_of(node, key) != value) return false;
  return true;
}

/// How many of these pods now fit into the domain of the level that has the most room.
size_t most_in_a_domain(const PodsWanted& group, const std::string& level, const std::vector<Json>& nodes,
                        const std::vector<Json>& pods) {
  std::map<std::string, std::vector<Json>> domains;
  for (const Json& node : nodes)
    if (std::string domain = api::label_of(node, level); !domain.empty())
      domains[std::move(domain)].push_back(node);
  const std::vector<const Json*> specs(static_cast<size_t>(std::max(group.count, 0)), &group.spec);
  size_t most = 0;
  for (const auto& [domain, own] : domains) {
    std::vector<Room> rooms = rooms_of(own, pods);
    most = std::max(most, specs.size() - place(specs, rooms).size());
  }
  return most;
}

}  // namespace

std::vector<std::string> required_levels(const Json& job) {
  std::vector<std::string> levels;
  each_planned_pod(
      job, [&](const Json& pod, int) { levels.push_back(api::annotation_of(pod, api::kRequiredTopology)); });
  return levels;
}

std::string topology_refusal(const std::vector<PodsWanted>& wanted, const std::vector<std::string>& levels,
                             const std::vector<Json>& flavors, const std::vector<Json>& nodes,
                             const std::vector<Json>& pods) {
  const auto flavor = std::find_if(flavors.begin(), flavors.end(), [](const Json& one) {
    return !string_at(one, {"spec", "topologyName"}).empty();
  });
  for (size_t i = 0; i < std::min(wanted.size(), levels.size()); ++i) {
    if (levels[i].empty()) continue;
    if (flavor == flavors.end())
      return flavors.empty() ? ""
                             : fmt::format("Flavor \"{}\" does not support TopologyAwareScheduling",
                                           api::name_of(flavors[0]));
    std::vector<Json> own;
    std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(own),
                 [&](const Json& node) { return is_of_flavor(node, *flavor); });
    const size_t most = most_in_a_domain(wanted[i], levels[i], own, pods);
    const std::string topology = string_at(*flavor, {"spec", "topologyName"});
    if (most == 0)
      return fmt::format("topology \"{}\" doesn't allow to fit any of {} pod(s)", topology, wanted[i].count);
    if (most < static_cast<size_t>(wanted[i].count))
      return fmt::format("topology \"{}\" allows to fit only {} out of {} pod(s)", topology, most,
                         wanted[i].count);
  }
  return {};
}

}  // namespace kml::job
