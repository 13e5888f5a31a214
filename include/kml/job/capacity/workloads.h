#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/job/views/job_view.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Kueue's Workloads, by job. Kueue admits, stops and orders jobs by their Workloads.
class Workloads {
 public:
  Workloads() = default;
  explicit Workloads(std::vector<Json> workloads);

  /// The job's Workload; nullptr if it has none, or if it was not read.
  const Json* of(const Json& job) const;
  /// Whether the cluster certainly does not have Kueue, so that nothing admits a job in a queue. Only known
  /// if a job's Workload was to be read.
  bool lacks_kueue() const { return lacks_kueue_; }
  static Workloads of_cluster_without_kueue();

 private:
  bool lacks_kueue_ = false;
  std::map<std::string, Json> by_owner_;  ///< the key is the job's uid
};

/// The job's state. It is suspended if a user or Kueue has deactivated its Workload. If the Workload is not
/// known, a suspended job in a queue is reported as waiting.
State state_of(const Json& job, bool any_pod_runs, const Json* workload);

/// Whether the job is held back, either by Kueue or by a user through Kueue. Only its Workload shows which of
/// the two.
bool is_held_in_queue(const Json& job);

/// The time by which Kueue orders Workloads with the same priority (GetQueueOrderTimestamp in pkg/workload).
/// If the Workload was evicted because pods were not ready in time or because of an admission check, it is
/// the time of the last eviction, otherwise the creation time.
Time order_of_workload(const Json& workload);

/// Whether Kueue tries `a` before `b` if both wait in the same ClusterQueue: first by priority, then by
/// order_of_workload(), then by uid (baseCompareFunc in pkg/cache/queue).
bool is_before_in_queue(const Json& a, const Json& b);

/// The Workloads of the jobs whose states depend on them: jobs that are held in a queue, and jobs that Kueue
/// may have partly admitted. Sends no request if no such job exists. Empty if the cluster has no Kueue, or if
/// the user may not read its Workloads. An empty namespace means all namespaces.
Workloads read_workloads(kube::Client& client, const std::string& namespace_name, std::span<const Json> jobs);

}  // namespace kml::job
