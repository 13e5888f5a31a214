#pragma once

#include "kml/job/submit/submit.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Gives each Job that --nodes made a gang a PodGroup (scheduling.k8s.io), so that the scheduler starts all
/// of its pods or none. If the cluster does not serve PodGroups, or the user may not create them, adds a note
/// once in ten minutes. Sends a dry run of one PodGroup, and nothing for other jobs. The embedded server
/// needs no PodGroups for such jobs, and Kueue's jobs are admitted as a whole.
void use_gangs(kube::Client& client, SubmitPlan& plan, bool is_local);

}  // namespace kml::job
