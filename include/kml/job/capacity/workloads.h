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

 private:
  std::map<std::string, Json> by_owner_;  ///< by the job's uid
};

/// The job's state: suspended if a user or Kueue has deactivated its Workload. Without the Workload, a
/// suspended job in a queue is reported as waiting.
State state_of(const Json& job, bool any_pod_runs, const Json* workload);

/// Whether Kueue holds the job back, or a user through Kueue: only its Workload shows which.
bool is_held_in_queue(const Json& job);

/// The time by which Kueue orders Workloads of equal priority (GetQueueOrderTimestamp of pkg/workload): of
/// the last eviction, if pods were not ready in time or an admission check caused it; otherwise of the
/// creation.
Time order_of_workload(const Json& workload);

/// Whether Kueue tries `a` before `b`, which wait in the same ClusterQueue: by priority, then by that time,
/// then by their uids (baseCompareFunc of pkg/cache/queue).
bool is_before_in_queue(const Json& a, const Json& b);

/// The Workloads of the jobs whose state they decide: jobs that are held in a queue, or that Kueue may have
/// partly admitted. Sends no request if there are none. Empty if the cluster has no Kueue, or if the user may
/// not read its Workloads. An empty namespace means all.
Workloads read_workloads(kube::Client& client, const std::string& namespace_name, std::span<const Json> jobs);

}  // namespace kml::job
