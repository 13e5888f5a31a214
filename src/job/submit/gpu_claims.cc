#include "job/submit/gpu_claims.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "job/capacity/devices.h"
#include "job/render/gpu_choice.h"
#include "job/spec/values.h"
#include "kml/job/spec/gpu_types.h"
#include "kml/job/submit/missing_kind.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

constexpr const char* kClaimsVersion = "resource.k8s.io/v1";

/// Why the cluster cannot allocate GPUs by claims; empty if it can.
std::string refusal_of_claims(kube::Client& client) {
  const std::string name(render::kGpuClass);
  try {
    client.get_raw(std::string("/apis/") + kClaimsVersion + "/deviceclasses/" + name);
    return {};
  } catch (const Error& error) {
    if (is_about_path(error)) return std::string("the cluster does not serve ") + kClaimsVersion;
    if (error.http_status == 404) return "the cluster has no DeviceClass " + name;
    if (error.http_status == 403) return "you may not read DeviceClass " + name;
    throw;
  }
}

Json claim_template(const Json& object, const std::string& name, const std::string& type, int64_t gpus,
                    const std::string& submit_id) {
  return {{"apiVersion", kClaimsVersion},
          {"kind", "ResourceClaimTemplate"},
          {"metadata",
           {{"name", name},
            {"namespace", api::namespace_of(object)},
            {"labels",
             {{api::kManagedBy, "kml"},
              {api::kSubmitId, submit_id},
              {api::kUser, api::label_of(object, api::kUser)}}}}},
          {"spec", {{"spec", render::claim_spec(type, gpus)}}}};
}

/// Templates for the pods of one object. Pods with different numbers of GPUs need different templates.
class ClaimTemplates {
 public:
  ClaimTemplates(const Json& object, std::string type, std::string submit_id)
      : object_(object), type_(std::move(type)), submit_id_(std::move(submit_id)) {}

  std::string name_for(int64_t gpus) {
    std::string& name = names_[gpus];
    if (!name.empty()) return name;
    name = api::name_of(object_) + "-" + submit_id_ + (made_.empty() ? "" : "-" + std::to_string(gpus));
    made_.push_back({.object = claim_template(object_, name, type_, gpus, submit_id_)});
    return name;
  }
  std::vector<Belonging> take() && { return std::move(made_); }

 private:
  const Json& object_;
  const std::string type_, submit_id_;
  std::map<int64_t, std::string> names_;
  std::vector<Belonging> made_;
};

/// The type in the object's choice of GPUs; empty if it has none.
std::string choice_of(const Json& object) {
  const auto parsed = spec::parse_gpus(api::annotation_of(object, kGpuChoice));
  const auto* gpus = std::get_if<spec::Gpus>(&parsed);
  return gpus && gpus->count > 0 && spec::is_choice(gpus->type) ? gpus->type : "";
}

int number_of_templates(const Json& object) {
  int number = 0;
  each_pod_template(object, [&](const Json&, int) { ++number; });
  return number;
}

/// Whether a pod of the object has GPUs and selects them by this type.
bool has_chosen_pods(const Json& object, const std::string& type) {
  bool is_any = false;
  each_pod_template(object, [&](const Json& pod, int) {
    const Json& spec = api::spec_of(pod);
    is_any = is_any || (render::gpus_of_pod(spec) > 0 && render::is_chosen_by(type, spec));
  });
  return is_any;
}

void forget_choice(Json& object) {
  if (!api::annotation_of(object, kGpuChoice).empty())
    object["metadata"]["annotations"].erase(std::string(kGpuChoice));
}

std::string note_on_labels(const std::string& type, const std::string& why) {
  return "--gpus " + type + " selects nodes by their labels: " + why;
}

void add_once(std::string note, std::vector<std::string>& notes) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

}  // namespace

void mark_gpu_choice(const std::optional<spec::Gpus>& gpus, bool may_claim, SubmitPlan& plan) {
  if (!gpus) return;
  for (Json& object : plan.objects) {
    const std::string type = gpus->type.empty() ? chosen_gpu_type(object) : gpus->type;
    const bool has_pods = is_job(object) || number_of_templates(object) > 0;
    if (!has_pods || gpus->count == 0 || !spec::is_choice(type)) {
      forget_choice(object);
      continue;
    }
    api::set_annotation(object, kGpuChoice, type + ":" + std::to_string(gpus->count));
    if (!may_claim) add_once(spec::note_on_unclaimed_choice(type), plan.notes);
  }
}

void use_gpu_claims(kube::Client& client, SubmitPlan& plan, bool is_local) {
  std::optional<std::string> refusal;
  for (Json& object : plan.objects) {
    const std::string type = choice_of(object);
    if (type.empty()) continue;
    const bool has_templates = number_of_templates(object) > 0;
    if (has_templates && !has_chosen_pods(object, type)) {
      forget_choice(object);
      continue;
    }
    if (is_local) continue;
    if (!has_templates) {
      add_once(note_on_labels(type, "a " + shown_kind(object) + " has no field for claims"), plan.notes);
      continue;
    }
    if (!refusal) refusal = refusal_of_claims(client);
    if (!refusal->empty()) {
      add_once(note_on_labels(type, *refusal), plan.notes);
      continue;
    }
    ClaimTemplates templates(object, type, plan.submit_id);
    each_pod_template(object, [&](Json& pod, int) {
      if (render::is_chosen_by(type, api::spec_of(pod)))
        render::claim_gpus(
            type, [&](int64_t gpus) { return templates.name_for(gpus); }, pod["spec"]);
    });
    std::ranges::move(std::move(templates).take(), std::back_inserter(plan.belongings));
  }
}

void forget_gpu_claims(std::vector<Json>& objects) {
  std::set<std::pair<std::string, std::string>> forgotten;  // namespaces and names of templates
  for (Json& object : objects) {
    const std::string type = choice_of(object);
    if (type.empty()) continue;
    each_pod_template(object, [&](Json& pod, int) {
      for (const Json& claim : array_at(pod, {"spec", "resourceClaims"}))
        if (render::is_gpu_claim(claim))
          forgotten.emplace(api::namespace_of(object), string_at(claim, {"resourceClaimTemplateName"}));
      if (pod.contains("spec")) render::release_gpus(type, pod["spec"]);
    });
  }
  std::erase_if(objects, [&](const Json& object) {
    return api::kind_name(object) == "ResourceClaimTemplate" &&
           api::label_of(object, api::kManagedBy) == "kml" &&
           forgotten.contains({api::namespace_of(object), api::name_of(object)});
  });
}

bool may_claim_gpus(const Json& object) {
  const std::string type = choice_of(object);
  return !type.empty() && has_chosen_pods(object, type);
}

}  // namespace kml::job
