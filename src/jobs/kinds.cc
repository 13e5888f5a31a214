#include "kml/jobs/kinds.h"

#include <array>
#include <cstdlib>

#include "kml/api/labels.h"

namespace kml::jobs {

std::span<const api::ResourceKind* const> job_kinds() {
  static const std::array kinds = {api::find_kind("batch/v1", "Job"),
                                   api::find_kind("kubeflow.org/v1", "PyTorchJob")};
  return kinds;
}

bool is_job(const Json& object) {
  for (const api::ResourceKind* kind : job_kinds())
    if (api::kind_of(object) == kind) return true;
  return false;
}

namespace {

template <typename Object, typename Visit>
void visit_templates(Object& object, const Visit& visit) {
  const api::ResourceKind* kind = api::kind_of(object);
  if (!kind || !object.contains("spec") || !object["spec"].is_object()) return;
  auto& spec = object["spec"];
  auto count = [](const Json& owner, std::string_view key) {
    return static_cast<int>(int_at(owner, {key}, 1));
  };
  if (kind->kind == "Pod") {
    visit(object, 1);
  } else if (kind->kind == "PyTorchJob") {
    if (!spec.contains("pytorchReplicaSpecs") || !spec["pytorchReplicaSpecs"].is_object()) return;
    for (auto& replica : spec["pytorchReplicaSpecs"])
      if (replica.is_object() && replica.contains("template"))
        visit(replica["template"], count(replica, "replicas"));
  } else if (spec.contains("template")) {
    visit(spec["template"], count(spec, kind->kind == "Job" ? "parallelism" : "replicas"));
  }
}

}  // namespace

void each_pod_template(const Json& object, const std::function<void(const Json& pod, int count)>& visit) {
  visit_templates(object, visit);
}

void each_pod_template(Json& object, const std::function<void(Json& pod, int count)>& visit) {
  visit_templates(object, visit);
}

std::string pod_selector(const Json& job) {
  std::string_view label =
      string_at(job, {"kind"}) == "PyTorchJob" ? api::kTrainingJobName : api::kLegacyJobName;
  return std::string(label) + "=" + string_at(job, {"metadata", "name"});
}

std::string job_key_of_pod(const Json& pod) {
  const Json& labels = object_at(pod, {"metadata", "labels"});
  if (std::string name = string_at(labels, {api::kTrainingJobName}); !name.empty())
    return "PyTorchJob/" + name;
  std::string name = string_at(labels, {api::kJobName}, string_at(labels, {api::kLegacyJobName}));
  return name.empty() ? "" : "Job/" + name;
}

std::string job_key(const Json& job) {
  return string_at(job, {"kind"}) + "/" + string_at(job, {"metadata", "name"});
}

long long gpus_of_pod(const Json& pod_spec) {
  long long gpus = 0;
  for (const Json& container : array_at(pod_spec, {"containers"}))
    for (const auto& [name, amount] : object_at(container, {"resources", "limits"}).items())
      if (name.ends_with("/gpu") || name.find("/mig-") != std::string::npos)
        gpus += amount.is_number() ? amount.get<long long>()
                                   : std::atoll(amount.is_string() ? amount.get<std::string>().c_str() : "");
  return gpus;
}

}  // namespace kml::jobs
