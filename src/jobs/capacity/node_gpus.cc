#include <algorithm>

#include "kml/api/condition.h"
#include "kml/api/object.h"
#include "kml/api/pod.h"
#include "kml/api/pod_requests.h"
#include "kml/api/taints.h"
#include "kml/core/natural_order.h"
#include "kml/jobs/capacity/capacity.h"

namespace kml::jobs {

namespace {

std::string closed_because(const Json& node) {
  const api::Condition ready = api::condition(node, "Ready");
  if (ready && !ready.is_true()) return "not ready";
  return api::is_cordoned(node) ? "cordoned" : "";
}

std::vector<std::string> taints_of(const Json& node) {
  std::vector<std::string> taints;
  for (const Json& taint : array_at(node, {"spec", "taints"})) {
    // Nodes tell by these what their state says already.
    if (!string_at(taint, {"key"}).starts_with("node.kubernetes.io/"))
      taints.push_back(api::taint_text(taint));
  }
  return taints;
}

}  // namespace

bool NodeGpus::is_reserved() const {
  return std::any_of(taints.begin(), taints.end(), [&](const std::string& taint) {
    const bool keeps_off = taint.ends_with(":NoSchedule") || taint.ends_with(":NoExecute");
    return keeps_off && !taint.starts_with("nvidia.com/gpu");
  });
}

GpuCount::GpuCount(std::span<const Json> nodes) {
  for (const Json& node : nodes)
    for (const auto& [resource, amount] : api::amounts_of(object_at(node, {"status", "allocatable"})))
      if (api::is_gpu_resource(resource) && amount > 0)
        nodes_.push_back({.node = api::name_of(node),
                          .type = gpu_type_of_node(node, resource),
                          .resource = resource,
                          .total = amount / api::kMilli,
                          .closed = closed_because(node),
                          .taints = taints_of(node)});
  std::stable_sort(nodes_.begin(), nodes_.end(),
                   [](const NodeGpus& a, const NodeGpus& b) { return natural_less(a.node, b.node); });
  for (size_t i = 0; i < nodes_.size(); ++i) of_node_[nodes_[i].node].push_back(i);
}

void GpuCount::add(const Json& pod, const std::string& holder) {
  const auto there = of_node_.find(api::node_of(pod));
  if (there == of_node_.end() || api::pod_has_ended(pod)) return;
  const api::Amounts requests = api::pod_requests(api::spec_of(pod));
  for (size_t i : there->second)
    if (const auto asked = requests.find(nodes_[i].resource); asked != requests.end()) {
      nodes_[i].used += asked->second / api::kMilli;
      nodes_[i].held_by[holder] += asked->second / api::kMilli;
    }
}

std::vector<Gang> largest_gangs(std::span<const NodeGpus> nodes) {
  int64_t largest = 0;
  for (const NodeGpus& node : nodes) largest = std::max(largest, node.total);
  std::vector<Gang> gangs;
  for (int64_t size = 1; size <= largest; size *= 2) {
    Gang gang{size, 0};
    for (const NodeGpus& node : nodes)
      if (!node.is_reserved()) gang.pods += node.free() / size;
    gangs.push_back(gang);
  }
  return gangs;
}

}  // namespace kml::jobs
