#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job/preflight/node_fit.h"
#include "kml/base/json.h"
#include "kml/job/why/cause.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Kueue's probable decision about a job that is submitted now.
struct QueueForecast {
  std::optional<Cause> cause;        ///< why the job would not be admitted at once, as `kml why` explains it
  bool preempts = false;             ///< whether the job is admitted once Kueue has preempted other jobs
  std::vector<std::string> checks;   ///< admission checks that the job must then pass
  std::vector<std::string> unknown;  ///< the objects, other than the LocalQueue, that could not be read
  bool is_complete = true;           ///< false if an object other than the Workloads could not be read
};

/// The nodes and the active pods of all namespaces; null if they were not read.
struct NodesAndPods {
  const std::vector<Json>* nodes = nullptr;
  const std::vector<Json>* pods = nullptr;
};

/// Checks a job against its LocalQueue, the ClusterQueue, the cohort, the flavors and, if `there` was read,
/// the Topology, in the same order as Kueue. `job` is not stored yet. `wanted` are its pods with the server's
/// defaults. Ignores nested cohorts. Also ignores preemption if the user may not list all Workloads. Throws
/// Error if the server fails.
QueueForecast queue_forecast(kube::Client& client, const Json& job, const std::vector<PodsWanted>& wanted,
                             const NodesAndPods& there = {});

}  // namespace kml::job
