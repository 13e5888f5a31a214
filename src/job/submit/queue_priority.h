#pragma once

#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// If a job's pods name a WorkloadPriorityClass of Kueue as their priority class, replaces that name by
/// Kueue's label. Only applies to jobs in Kueue queues; sends no requests for other jobs. Classes that the
/// user may not read are left unchanged.
void use_queue_priorities(kube::Client& client, std::vector<Json>& objects);

}  // namespace kml::job
