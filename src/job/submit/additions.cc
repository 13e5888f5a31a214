#include "job/submit/additions.h"

#include <algorithm>

#include "job/submit/gangs.h"
#include "job/submit/gpu_claims.h"

namespace kml::job {

namespace {

constexpr const char* kShownBy = "; --dry-run=server shows whether this cluster does";

}  // namespace

std::vector<std::string> notes_on_additions(const SubmitPlan& plan) {
  std::vector<std::string> notes;
  if (std::any_of(plan.objects.begin(), plan.objects.end(), may_get_group))
    notes.push_back(std::string("if the cluster schedules gangs, kml also sends a PodGroup") + kShownBy);
  if (std::any_of(plan.objects.begin(), plan.objects.end(), may_claim_gpus))
    notes.push_back(
        std::string(
            "if the cluster allocates GPUs by claims, kml sends a ResourceClaimTemplate instead of the "
            "node affinity for GPUs") +
        kShownBy);
  return notes;
}

}  // namespace kml::job
