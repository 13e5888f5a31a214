#include "kml/job/views/kinds.h"

#include <algorithm>
#include <array>

#include "job/render/gpu_choice.h"
#include "kml/base/text.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

std::span<const api::ResourceKind* const> job_kinds() {
  static const std::array kinds = {api::find_kind("batch/v1", "Job"),
                                   api::find_kind("kubeflow.org/v1", "PyTorchJob"),
                                   api::find_kind("kubeflow.org/v2beta1", "MPIJob"),
                                   // Listed before JobSet, because a TrainJob creates a JobSet with the same
                                   // name.
                                   api::find_kind("trainer.kubeflow.org/v1alpha1", "TrainJob"),
                                   api::find_kind("jobset.x-k8s.io/v1alpha2", "JobSet")};
  return kinds;
}

bool is_job_kind(const api::ResourceKind& kind) {
  const auto kinds = api::is_known(kind) ? job_kinds() : described_resources();
  return std::find(kinds.begin(), kinds.end(), &kind) != kinds.end();
}

bool is_job(const Json& object) {
  const api::ResourceKind* kind = api::kind_of(object);
  return kind && is_job_kind(*kind);
}

bool is_plain_job(const Json& object) {
  return api::kind_name(object) == "Job" && api::api_version_of(object) == "batch/v1";
}

std::string shown_kind(const Json& job) {
  const JobKind* kind = described_kind_of(job);
  return kind ? kind->name : api::kind_name(job);
}

const api::ResourceKind* kind_shown_as(std::string_view name) {
  for (const api::ResourceKind* kind : job_kinds())
    if (kind->kind == name) return kind;
  const auto described = described_kinds();
  const auto found = std::find_if(described.begin(), described.end(),
                                  [&](const JobKind* kind) { return kind->name == name; });
  return found == described.end() ? nullptr
                                  : described_resources()[static_cast<size_t>(found - described.begin())];
}

bool is_part_of_job(const Json& object) {
  if (!api::label_of(object, api::kStartGuard).empty()) return true;
  const Json& owners = api::owners_of(object);
  return std::any_of(owners.begin(), owners.end(),
                     [](const Json& owner) { return api::is_controller(owner) && is_job(owner); });
}

namespace {

int count_at(const Json& owner, std::string_view key) {
  return static_cast<int>(int_at(owner, {key}, 1));
}

template <typename Object, typename Visit>
void visit_replicas(Object& replicas, const Visit& visit) {
  if (!replicas.is_object()) return;
  for (auto& replica : replicas)
    if (replica.is_object() && replica.contains("template"))
      visit(replica["template"], count_at(replica, "replicas"));
}

template <typename Object, typename Visit>
void visit_job_set(Object& jobs, const Visit& visit) {
  if (!jobs.is_array()) return;
  for (auto& job : jobs)
    if (find(job, {"template", "spec", "template"})) {
      auto& spec = job["template"]["spec"];
      visit(spec["template"], count_at(job, "replicas") * count_at(spec, "parallelism"));
    }
}

int count_of(const JobKind::Templates& templates, const Json& counted) {
  constexpr long long kMost = 1'000'000'000;  // an object is not trusted
  long long count = 1;
  for (const std::string& factor : templates.counts)
    count = std::clamp(count * count_at(counted, factor), -kMost, kMost);
  return static_cast<int>(count);
}

template <typename Object, typename Visit>
void visit_described(const JobKind& kind, Object& object, const Visit& visit) {
  for (const JobKind::Templates& templates : kind.templates)
    templates.path.each(object, [&](Object& pod, const Json& parent) {
      if (!pod.is_object()) return;
      const int count = count_of(templates, templates.is_spec ? pod : parent);
      if (!templates.is_spec) return visit(pod, count);
      Json as_template = {{"spec", pod}};
      visit(as_template, count);
      if constexpr (!std::is_const_v<Object>) {
        Json& spec = as_template["spec"];  // without the counts if `visit` has shortened it
        for (const std::string& factor : templates.counts)
          if (pod.contains(factor) && spec.is_object()) spec.emplace(factor, pod[factor]);
        pod = std::move(spec);
      }
    });
}

template <typename Object, typename Visit>
void visit_templates(Object& object, const Visit& visit) {
  if (const JobKind* described = described_kind_of(object)) return visit_described(*described, object, visit);
  const api::ResourceKind* kind = api::kind_of(object);
  if (!object.contains("spec") || !object["spec"].is_object()) return;
  auto& spec = object["spec"];
  if (!kind) {  // another kind of the training operator: tfReplicaSpecs, xgbReplicaSpecs, ...
    for (auto member = spec.begin(); member != spec.end(); ++member)
      if (member.key().ends_with("ReplicaSpecs")) visit_replicas(member.value(), visit);
    return;
  }
  if (kind->kind == "Pod") return visit(object, 1);
  if (kind->kind == "CronJob" && find(spec, {"jobTemplate", "spec", "template"})) {
    auto& job_spec = spec["jobTemplate"]["spec"];
    return visit(job_spec["template"], count_at(job_spec, "parallelism"));
  }
  for (const char* replicas : {"pytorchReplicaSpecs", "mpiReplicaSpecs"})
    if (spec.contains(replicas)) visit_replicas(spec[replicas], visit);
  if (spec.contains("replicatedJobs")) visit_job_set(spec["replicatedJobs"], visit);
  if (spec.contains("template"))
    visit(spec["template"], count_at(spec, kind->kind == "Job" ? "parallelism" : "replicas"));
}

}  // namespace

void each_pod_template(const Json& object, const std::function<void(const Json& pod, int count)>& visit) {
  visit_templates(object, visit);
}

void each_pod_template(Json& object, const std::function<void(Json& pod, int count)>& visit) {
  visit_templates(object, visit);
}

long long gpus_of_pod(const Json& pod_spec) {
  return render::gpus_of_pod(pod_spec);
}

long long gpus_of_trainer(const Json& train_job) {
  return render::gpus_of_trainer(object_at(train_job, {"spec", "trainer"}));
}

std::string name_with_suffix(std::string base, const std::string& suffix) {
  constexpr size_t kLongestBase = 57;  // the 63 characters of a DNS label, minus "-" and the suffix
  base.resize(std::min(base.size(), kLongestBase));
  while (base.ends_with('-')) base.pop_back();
  return base + "-" + suffix;
}

std::string drawn_name(const std::string& base) {
  return name_with_suffix(base, random_suffix());
}

std::string base_of_drawn_name(const std::string& name) {
  constexpr size_t kSuffix = 5;
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  size_t dash = name.rfind('-');
  bool drawn = dash != std::string::npos && dash > 0 && name.size() - dash - 1 == kSuffix &&
               name.find_first_not_of(kAlphabet, dash + 1) == std::string::npos;
  return drawn ? name.substr(0, dash) : name;
}

std::string secret_object_name(const std::string& submit_id) {
  return "kml-" + submit_id;
}

bool is_code_secret(std::string_view name) {
  return name.starts_with(kCodeSecretPrefix);
}

}  // namespace kml::job
