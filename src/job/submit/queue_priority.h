#pragma once

#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Gives jobs in Kueue's queues their priority by a label, if their pods' class is a Kueue
/// WorkloadPriorityClass and not a PriorityClass. Sends no request for other jobs. Classes that the user may
/// not read stay as they are.
void use_queue_priorities(kube::Client& client, std::vector<Json>& objects);

}  // namespace kml::job
