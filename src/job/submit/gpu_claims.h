#pragma once

#include "job/capacity/devices.h"
#include "kml/job/submit/submit.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Makes each job with a choice of GPUs claim them by a ResourceClaimTemplate, if the cluster has the
/// DeviceClass of NVIDIA's driver. If not, the jobs select nodes by labels, and a note says so. Sends
/// requests only for such jobs.
void use_gpu_claims(kube::Client& client, SubmitPlan& plan, bool is_local);

}  // namespace kml::job
