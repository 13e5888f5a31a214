#pragma once

#include <vector>

#include "kml/base/json.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Called after cancel(): waits until the tasks of these array jobs have stopped. As long as no task of a job
/// has failed, the job's controller replaces tasks that end. To prevent that, the job is suspended. Throws
/// Error (unreachable) if a task is still running some time after its grace period.
void wait_until_tasks_stop(kube::Client& client, const std::vector<Json>& jobs, const Interrupt& interrupt);

}  // namespace kml::job
