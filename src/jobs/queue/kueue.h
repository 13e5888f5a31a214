#pragma once

#include <string>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/json.h"
#include "kml/jobs/queue/queue.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// "namespace/Kind/name" of the job that a Workload stands for; empty if none owns it.
std::string owner_of_workload(const Json& workload);

/// What Kueue orders by, among equals in priority (queue.GetQueueOrderTimestamp): when its pods were last not
/// ready in time or an admission check sent it back, else its creation.
Time order_of_workload(const Json& workload);

/// Adds Workloads, LocalQueues and, by the visibility API, positions. What may not be read or is not served
/// is named in the result: "Kueue's Workloads".
std::vector<std::string> add_kueue(kube::Client& client, const std::string& namespace_name, JobQueue& queue);

}  // namespace kml::jobs
