#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/job/spec/submit_spec.h"
#include "kml/job/submit/submit.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Records the choice of GPUs in `--gpus` in the objects that have pods. `gpus` is empty if the flag is not
/// given, and then objects keep their choice. A flag without a type only changes the number of GPUs. Unless
/// `may_claim`, adds a note that the command makes no claims for these pods.
void mark_gpu_choice(const std::optional<spec::Gpus>& gpus, bool may_claim, SubmitPlan& plan);

/// Makes each object with a choice of GPUs claim them by ResourceClaimTemplates, if the cluster has the
/// DeviceClass of NVIDIA's driver. If not, the pods select nodes by labels, and a note says so. Forgets a
/// choice that the pods no longer have, because the manifest was edited. Sends requests only for such
/// objects.
void use_gpu_claims(kube::Client& client, SubmitPlan& plan, bool is_local);

/// Removes kml's claims from the objects, whose pods then select nodes by labels again, and the
/// ResourceClaimTemplates of these claims from the list.
void forget_gpu_claims(std::vector<Json>& objects);

/// Whether use_gpu_claims() may add a ResourceClaimTemplate for the object.
bool may_claim_gpus(const Json& object);

}  // namespace kml::job
