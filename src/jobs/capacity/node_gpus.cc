#include <algorithm>
#include <unordered_map>

#include "kml/api/object_name.h"
#include "kml/jobs/capacity.h"
#include "kml/jobs/kinds.h"

namespace kml::jobs {

namespace {

std::string closed_because(const Json& node) {
  for (const Json& condition : array_at(node, {"status", "conditions"}))
    if (string_at(condition, {"type"}) == "Ready" && string_at(condition, {"status"}) != "True")
      return "not ready";
  return bool_at(node, {"spec", "unschedulable"}) ? "cordoned" : "";
}

std::vector<std::string> taints_of(const Json& node) {
  std::vector<std::string> taints;
  for (const Json& taint : array_at(node, {"spec", "taints"})) {
    const std::string key = string_at(taint, {"key"}), value = string_at(taint, {"value"});
    // Nodes tell by these what their state says already.
    if (key.starts_with("node.kubernetes.io/")) continue;
    taints.push_back(key + (value.empty() ? "" : "=" + value) + ":" + string_at(taint, {"effect"}));
  }
  return taints;
}

std::string holder_of(const Json& pod) {
  const std::string key = job_key_of_pod(pod);
  const std::string name = key.empty() ? api::name_of(pod) : key.substr(key.find('/') + 1);
  return api::namespace_of(pod) + "/" + name;
}

bool has_ended(const Json& pod) {
  const std::string phase = string_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

std::vector<NodeGpus> gpus_of_nodes(std::span<const Json> nodes, std::span<const Json> pods) {
  constexpr int64_t kMilli = 1000;
  std::vector<NodeGpus> all;
  std::unordered_map<std::string, std::vector<size_t>> of_node;
  for (const Json& node : nodes) {
    const std::string name = api::name_of(node);
    for (const auto& [resource, amount] : api::amounts_of(object_at(node, {"status", "allocatable"}))) {
      if (!is_gpu_resource(resource) || amount == 0) continue;
      of_node[name].push_back(all.size());
      all.push_back({.node = name,
                     .type = gpu_type_of_node(node, resource),
                     .resource = resource,
                     .total = amount / kMilli,
                     .closed = closed_because(node),
                     .taints = taints_of(node)});
    }
  }
  for (const Json& pod : pods) {
    const auto there = of_node.find(string_at(pod, {"spec", "nodeName"}));
    if (there == of_node.end() || has_ended(pod)) continue;
    const api::Amounts requests = requests_of(object_at(pod, {"spec"}));
    for (size_t i : there->second)
      if (const auto asked = requests.find(all[i].resource); asked != requests.end()) {
        all[i].used += asked->second / kMilli;
        all[i].held_by[holder_of(pod)] += asked->second / kMilli;
      }
  }
  // "gpu-2" before "gpu-10".
  std::stable_sort(all.begin(), all.end(), [](const NodeGpus& a, const NodeGpus& b) {
    return std::pair(a.node.size(), a.node) < std::pair(b.node.size(), b.node);
  });
  return all;
}

std::vector<Gang> largest_gangs(std::span<const NodeGpus> nodes) {
  int64_t largest = 0;
  for (const NodeGpus& node : nodes) largest = std::max(largest, node.total);
  std::vector<Gang> gangs;
  for (int64_t size = 1; size <= largest; size *= 2) {
    Gang gang{size, 0};
    for (const NodeGpus& node : nodes) gang.pods += node.free() / size;
    gangs.push_back(gang);
  }
  return gangs;
}

}  // namespace kml::jobs
