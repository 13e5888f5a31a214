#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/kube/client.h"

namespace kml::jobs {

/// GPUs that a quota grants, and what of them is in use.
struct GpuQuota {
  std::string source;  ///< "quota gpus", "queue lq of team"
  std::string namespace_name;
  std::string resource;          ///< "nvidia.com/gpu"
  std::string flavor;            ///< Kueue's; empty for a ResourceQuota
  std::optional<int64_t> limit;  ///< empty if it may not be seen
  int64_t used = 0;
};

/// Of the namespace's ResourceQuotas and Kueue's queues: who may not see nodes sees by these what is to be
/// had. What may not be read is left out.
std::vector<GpuQuota> read_gpu_quotas(kube::Client& client, const std::string& namespace_name);

/// A LocalQueue of Kueue, and the ClusterQueue behind it.
struct QueueView {
  Json object;  ///< the LocalQueue
  std::string namespace_name, name, cluster_queue;
  std::string strategy;  ///< "BestEffortFIFO"; empty if the ClusterQueue may not be read
  std::string problem;   ///< why it admits nothing; empty if all is well
  long long pending = 0, reserving = 0, admitted = 0;
  std::vector<GpuQuota> quotas;
};

/// Throws Error (404) where the cluster has no Kueue. An empty namespace means all.
std::vector<QueueView> read_queues(kube::Client& client, const std::string& namespace_name,
                                   const std::string& label_selector = {});

}  // namespace kml::jobs
