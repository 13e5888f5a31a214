#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job/preflight/node_fit.h"
#include "kml/base/json.h"
#include "kml/job/why/cause.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Kueue's likely decision about a job that is submitted now.
struct QueueForecast {
  std::optional<Cause> cause;        ///< why it would not be admitted at once, as `kml why` explains it
  bool preempts = false;             ///< it is admitted once Kueue has preempted other jobs for it
  std::vector<std::string> checks;   ///< admission checks that follow
  std::vector<std::string> unknown;  ///< what could not be read, besides the LocalQueue
  bool is_complete = true;           ///< false if something could not be read
};

/// Compares a job of a queue with its LocalQueue, the ClusterQueue, its cohort and its flavors, in Kueue's
/// order. `job` is not stored yet; `wanted` are its pods with the server's defaults. Ignores topologies and
/// cohorts of cohorts; without the right to list all Workloads also preemption. Throws Error if the server
/// fails.
QueueForecast queue_forecast(kube::Client& client, const Json& job, const std::vector<PodsWanted>& wanted);

}  // namespace kml::job
