#pragma once

#include <string>
#include <vector>

#include "job/queue/queue.h"
#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The job of a Workload, as "namespace/Kind/name"; empty if no job owns the Workload.
std::string owner_of_workload(const Json& workload);

/// Adds Workloads, LocalQueues, and positions from the visibility API. Returns what could not be read, such
/// as "Kueue's Workloads"; nothing if the server has no Kueue.
std::vector<std::string> add_kueue(kube::Client& client, const std::string& namespace_name, JobQueue& queue);

}  // namespace kml::job
