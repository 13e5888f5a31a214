#pragma once

#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// If the priority class of a job's pods is a Kueue WorkloadPriorityClass, not a PriorityClass, replaces it
/// by Kueue's label. Only applies to jobs in Kueue queues; sends no requests for other jobs. Classes that the
/// user may not read are left unchanged.
void use_queue_priorities(kube::Client& client, std::vector<Json>& objects);

}  // namespace kml::job
