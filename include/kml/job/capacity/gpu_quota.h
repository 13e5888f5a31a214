#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/kube/client/client.h"

namespace kml::job {

/// The GPUs that a quota grants, and how many are in use.
struct GpuQuota {
  std::string source;  ///< "quota gpus", "queue lq of team"
  std::string namespace_name;
  std::string resource;          ///< "nvidia.com/gpu"
  std::string flavor;            ///< Kueue's flavor; empty for a ResourceQuota
  std::optional<int64_t> limit;  ///< empty if the user may not read it
  int64_t used = 0;
};

/// Reads the namespace's ResourceQuotas and Kueue's queues, which show the available GPUs to users who may
/// not read nodes. Leaves out what the user may not read.
std::vector<GpuQuota> read_gpu_quotas(kube::Client& client, const std::string& namespace_name);

/// A Kueue LocalQueue, and the ClusterQueue behind it.
struct QueueView {
  Json object;  ///< Kueue's LocalQueue, or Volcano's Queue
  std::string namespace_name, name, cluster_queue;
  std::string strategy;  ///< "BestEffortFIFO"; empty if the user may not read the ClusterQueue
  std::string problem;   ///< why it admits nothing; empty if it works
  long long pending = 0, reserving = 0, admitted = 0;
  std::vector<GpuQuota> quotas;
};

/// The queues of Kueue and of Volcano. Throws Error (404) if the cluster has neither. An empty namespace
/// means all.
std::vector<QueueView> read_queues(kube::Client& client, const std::string& namespace_name,
                                   const std::string& label_selector = {});

}  // namespace kml::job
