#pragma once

#include <vector>

#include "kml/base/json.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Waits, after cancel(), until the tasks of these array jobs have stopped. A controller that still replaces
/// tasks that end, because none of them has failed yet, is stopped by suspending its job. Throws Error
/// (unreachable) if a task has not stopped some time after its grace period.
void wait_until_tasks_stop(kube::Client& client, const std::vector<Json>& jobs, const Interrupt& interrupt);

}  // namespace kml::job
