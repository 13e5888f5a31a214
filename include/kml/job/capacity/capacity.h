#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"
#include "kml/kube/objects/quantity.h"
#include "kml/kube/objects/usage.h"

namespace kml::job {

/// An amount in words: "4 GPUs", "1.5 GiB of memory", "1 CPU", "2 nvidia.com/mig-1g.5gb". Removes the
/// prefixes that quotas use ("requests.", "limits.").
std::string amount_text(std::string_view resource, int64_t milli);

/// Only the number of amount_text(), for texts such as "1 of 8 GPUs": "4", "1.5".
std::string amount_number(std::string_view resource, int64_t milli);

/// The type, as in `--gpus`, of a resource on a node: "a100-80gb", "mig-1g.5gb". If the product has no short
/// name, the value of the node's label. Without that label, "gpu", or the name of a resource that is not
/// NVIDIA's.
std::string gpu_type_of_node(const Json& node, std::string_view resource);
/// The type of GPU, as in `--gpus`, that a PodSpec selects, from its resource, node selector and affinity.
/// Empty if the pod names no type, or requests no GPU.
std::string gpu_type_of_pod(const Json& pod_spec);

/// Why a node accepts no new pods: "cordoned" or "not ready". Empty if it accepts pods.
std::string closed_because(const Json& node);
/// The taints of a node, such as "dedicated=ml:NoSchedule", without those that only reflect the node's state.
std::vector<std::string> shown_taints(const Json& node);

/// The GPUs of one kind on one node.
struct NodeGpus {
  std::string node, type, resource;
  int64_t total = 0, used = 0;
  std::map<std::string, int64_t> held_by = {};  ///< GPUs by holder, as passed to GpuCount::add
  /// why the node accepts no new pods: "cordoned" or "not ready"
  std::string closed = {};
  std::vector<std::string> taints = {};  ///< "dedicated=ml:NoSchedule"

  /// Whether the node has a taint that pods do not tolerate by default. kml's pods tolerate the taint of GPU
  /// nodes.
  bool is_reserved() const;
  int64_t free() const { return closed.empty() && total > used ? total - used : 0; }
};

/// Counts the GPUs on nodes, by holder.
class GpuCount {
 public:
  explicit GpuCount(std::span<const Json> nodes);
  /// Adds a pod. A pod that has ended or has no node holds nothing.
  void add(const Json& pod, const std::string& holder);
  /// One entry for each kind of GPU on each node, sorted by node.
  const std::vector<NodeGpus>& nodes() const { return nodes_; }

 private:
  std::vector<NodeGpus> nodes_;
  std::unordered_map<std::string, std::vector<size_t>> of_node_;
};

/// How many pods with a given number of GPUs could start now.
struct Gang {
  int64_t gpus_per_pod = 0, pods = 0;
};
/// The gangs of pods with 1, 2, 4 … GPUs, up to the number of GPUs on the largest node. If free GPUs are
/// spread over many nodes, there is room for few large pods. Leaves out reserved nodes. Only considers GPUs;
/// CPUs or memory may run out first.
std::vector<Gang> largest_gangs(std::span<const NodeGpus> nodes);

/// A pod's current usage, as far as the cluster measures it.
struct PodUsage {
  std::optional<double> cpus;
  std::optional<int64_t> memory;      ///< bytes
  std::optional<double> gpu_percent;  ///< the mean over the pod's GPUs
  /// The total of all the pod's containers so far. Only the embedded server reports it.
  std::optional<api::ContainerUsage> so_far = {};
};

/// The sum over these pods; for GPUs, the mean.
PodUsage sum_of(const std::map<std::string, PodUsage>& usage, std::span<const Json* const> pods);

/// The total usage of all containers, as recorded in a pod or its PodMetrics; empty if nothing is recorded.
std::optional<api::ContainerUsage> recorded_usage(const Json& object);

/// The usage by "namespace/name". It comes from the metrics API (metrics.k8s.io) and, if an adapter provides
/// it as a custom metric, from NVIDIA's DCGM_FI_DEV_GPU_UTIL. Leaves out what the cluster does not have or
/// the user may not read. An empty namespace means all namespaces; the result then lacks the usage of GPUs,
/// because custom metrics can only be read in a single namespace.
std::map<std::string, PodUsage> read_usage(kube::Client& client, const std::string& namespace_name);

}  // namespace kml::job
