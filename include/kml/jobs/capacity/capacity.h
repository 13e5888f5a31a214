#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kml/api/quantity.h"
#include "kml/api/usage.h"
#include "kml/core/json.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// "4 GPUs", "1.5 GiB of memory", "1 CPU", "2 nvidia.com/mig-1g.5gb". Prefixes that quotas put before a
/// resource ("requests.") are left out.
std::string amount_text(std::string_view resource, int64_t milli);

/// The GPUs of a resource on a node, as `--gpus` calls them: "a100-80gb", "mig-1g.5gb"; a product without a
/// short name as its label has it; "gpu" where the node does not say.
std::string gpu_type_of_node(const Json& node, std::string_view resource);
/// What a PodSpec asks for, alike: by its resource, node selector and affinity. Empty if any will do, or
/// it asks for none.
std::string gpu_type_of_pod(const Json& pod_spec);

/// Why a node takes no new pods: "cordoned", "not ready"; empty if it does.
std::string closed_because(const Json& node);
/// "dedicated=ml:NoSchedule"; without those by which a node tells its own state.
std::vector<std::string> shown_taints(const Json& node);

/// GPUs of one kind on one node.
struct NodeGpus {
  std::string node, type, resource;
  int64_t total = 0, used = 0;
  std::map<std::string, int64_t> held_by = {};  ///< by the names given to GpuCount::add
  std::string closed = {};                      ///< why it takes no new pods: "cordoned", "not ready"
  std::vector<std::string> taints = {};         ///< "dedicated=ml:NoSchedule"

  /// By a taint that a pod does not tolerate unless it was told to; kml's own tolerate that of GPUs.
  bool is_reserved() const;
  int64_t free() const { return closed.empty() && total > used ? total - used : 0; }
};

/// Counts who holds the GPUs of nodes.
class GpuCount {
 public:
  explicit GpuCount(std::span<const Json> nodes);
  /// One that has ended, or is on no node, holds nothing.
  void add(const Json& pod, const std::string& holder);
  /// One for each kind of GPU on each node, by node.
  const std::vector<NodeGpus>& nodes() const { return nodes_; }

 private:
  std::vector<NodeGpus> nodes_;
  std::unordered_map<std::string, std::vector<size_t>> of_node_;
};

/// How many pods of so many GPUs each could start now.
struct Gang {
  int64_t gpus_per_pod = 0, pods = 0;
};
/// For pods of 1, 2, 4 … GPUs, up to what the largest of these nodes has in all. What is free in crumbs shows
/// as few large pods. Reserved nodes are left out. It knows GPUs only: CPUs and memory may be short before.
std::vector<Gang> largest_gangs(std::span<const NodeGpus> nodes);

/// What a pod uses now, as far as the cluster measures it.
struct PodUsage {
  std::optional<double> cpus;
  std::optional<int64_t> memory;      ///< bytes
  std::optional<double> gpu_percent;  ///< mean over its GPUs
  /// Up to now, of all its containers; kml's own server alone tells it.
  std::optional<api::ContainerUsage> so_far = {};
};

/// Sums the usage of these pods; of GPUs it is the mean.
PodUsage sum_of(const std::map<std::string, PodUsage>& usage, std::span<const Json* const> pods);

/// What a pod's record, or its PodMetrics, says of all its containers together; empty if it says nothing.
std::optional<api::ContainerUsage> recorded_usage(const Json& object);

/// By "namespace/name": from the metrics API (metrics.k8s.io), and NVIDIA's DCGM_FI_DEV_GPU_UTIL where an
/// adapter serves it as a custom metric. Empty if the cluster has neither. An empty namespace means all.
std::map<std::string, PodUsage> read_usage(kube::Client& client, const std::string& namespace_name);

}  // namespace kml::jobs
