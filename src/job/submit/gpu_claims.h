#pragma once

#include "kml/job/submit/submit.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The annotation of a job with the choice of GPUs in its `--gpus`: "h100|a100:8".
inline constexpr std::string_view kGpuChoice = "kml.dev/gpus";

/// Makes each job with a choice of GPUs claim them by a ResourceClaimTemplate, if the cluster has the
/// DeviceClass of NVIDIA's driver. If not, the jobs select nodes by labels, and a note says so. Sends
/// requests only for such jobs.
void use_gpu_claims(kube::Client& client, SubmitPlan& plan, bool is_local);

}  // namespace kml::job
