#pragma once

#include <string>
#include <vector>

#include "kml/jobs/queue/queue.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// Adds Workloads, LocalQueues and, by the visibility API, positions. What may not be read or is not served
/// is named in the result: "Kueue's Workloads".
std::vector<std::string> add_kueue(kube::Client& client, const std::string& namespace_name, JobQueue& queue);

}  // namespace kml::jobs
