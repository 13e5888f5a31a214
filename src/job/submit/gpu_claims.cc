#include "job/submit/gpu_claims.h"

#include <algorithm>

#include "job/render/gpu_choice.h"
#include "job/render/overlay.h"
#include "job/spec/values.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// Why the cluster cannot allocate GPUs by claims; empty if it can.
std::string refusal_of_claims(kube::Client& client) {
  const std::string name(render::kGpuClass);
  try {
    client.get_raw("/apis/resource.k8s.io/v1/deviceclasses/" + name);
    return {};
  } catch (const Error& error) {
    if (error.http_status == 404) return "the cluster has no DeviceClass " + name;
    if (error.http_status == 403) return "you may not read DeviceClass " + name;
    throw;
  }
}

Json template_for(const Json& job, const spec::Gpus& gpus, const std::string& submit_id) {
  return {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceClaimTemplate"},
          {"metadata",
           {{"name", api::name_of(job) + "-" + submit_id},
            {"namespace", api::namespace_of(job)},
            {"labels",
             {{api::kManagedBy, "kml"},
              {api::kSubmitId, submit_id},
              {api::kUser, api::label_of(job, api::kUser)}}}}},
          {"spec", {{"spec", render::claim_spec(gpus)}}}};
}

/// Undoes claim_gpus() in a job that is submitted again.
void forget_claims(const spec::Gpus& gpus, Json& pod) {
  Json* claims = const_cast<Json*>(find(pod, {"resourceClaims"}));
  if (!claims || std::erase_if(claims->get_ref<Json::array_t&>(), render::is_gpu_claim) == 0) return;
  if (claims->empty()) pod.erase("resourceClaims");
  for (Json& container : pod["containers"]) {
    Json* used = const_cast<Json*>(find(container, {"resources", "claims"}));
    if (!used) continue;
    container["resources"].erase("claims");
    render::overlay_gpus(gpus, pod, container);
  }
}

}  // namespace

void use_gpu_claims(kube::Client& client, SubmitPlan& plan, bool is_local) {
  std::optional<std::string> refusal;
  for (Json& object : plan.objects) {
    const auto parsed = spec::parse_gpus(api::annotation_of(object, kGpuChoice));
    const auto* gpus = std::get_if<spec::Gpus>(&parsed);
    if (!is_job(object) || !gpus || gpus->count == 0) continue;
    each_pod_template(object, [&](Json& pod, int) { forget_claims(*gpus, pod["spec"]); });
    if (is_local) continue;
    if (!refusal) {
      refusal = refusal_of_claims(client);
      if (!refusal->empty())
        plan.notes.push_back("--gpus " + gpus->type + " selects nodes by their labels: " + *refusal);
    }
    if (!refusal->empty()) continue;
    Json claims = template_for(object, *gpus, plan.submit_id);
    const std::string name = api::name_of(claims);
    each_pod_template(object, [&](Json& pod, int) { render::claim_gpus(*gpus, name, pod["spec"]); });
    plan.belongings.push_back({.object = std::move(claims)});
  }
}

}  // namespace kml::job
