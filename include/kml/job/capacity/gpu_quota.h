#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/kube/client/client.h"

namespace kml::job {

/// How many GPUs a quota grants, and how many of them are in use.
struct GpuQuota {
  std::string source;  ///< the name of the quota, such as "quota gpus" or "queue lq of team"
  std::string namespace_name;
  std::string resource;          ///< "nvidia.com/gpu"
  std::string flavor;            ///< the Kueue flavor; empty for other quotas
  std::optional<int64_t> limit;  ///< the limit; empty if the user may not read it
  int64_t used = 0;
  int64_t borrowed = 0;  ///< the part of `used` that other queues of the cohort lend
  /// the most that the queue may borrow; empty means no limit, or unknown
  std::optional<int64_t> borrowing_limit;
};

/// Reads the namespace's ResourceQuotas, and the queues of Kueue and Volcano. They show the available GPUs to
/// users who may not read nodes. Leaves out what the user may not read.
std::vector<GpuQuota> read_gpu_quotas(kube::Client& client, const std::string& namespace_name);

/// A Kueue LocalQueue with its ClusterQueue, or a Volcano Queue, which belongs to no namespace.
struct QueueView {
  Json object;  ///< Kueue's LocalQueue, or Volcano's Queue
  std::string namespace_name, name, cluster_queue;
  /// the queueing strategy, such as "BestEffortFIFO"; empty if the user may not read the ClusterQueue
  std::string strategy;
  std::string problem;  ///< why the queue admits no jobs; empty if it admits jobs
  std::string cohort;   ///< the cohort in which the ClusterQueue borrows and lends; empty if there is none
  std::string weight;   ///< the queue's weight in the fair sharing of its cohort; empty if not set
  /// How much the queue borrows, by Kueue's measure. The queue that borrows the most must give back first.
  std::optional<long long> weighted_share;
  long long pending = 0, reserving = 0, admitted = 0;
  std::vector<GpuQuota> quotas;
};

/// Throws Error (404) if the cluster has neither Kueue nor Volcano queues that the user may list. An empty
/// namespace means all namespaces.
std::vector<QueueView> read_queues(kube::Client& client, const std::string& namespace_name,
                                   const std::string& label_selector = {});

}  // namespace kml::job
