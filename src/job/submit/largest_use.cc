#include "job/submit/largest_use.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "job/render/gpu_choice.h"
#include "job/submit/longest_run.h"
#include "kml/base/text.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

namespace {

void raise(Json& owner, const char* count, long long least) {
  owner[count] = std::max(int_at(owner, {count}, 1), least);
}

Json* member(Json& object, std::initializer_list<const char*> path) {
  Json* at = &object;
  for (const char* key : path) {
    if (!at->is_object() || !at->contains(key)) return nullptr;
    at = &(*at)[key];
  }
  return at;
}

/// The part of a Ray object that describes its cluster; nullptr for other kinds.
Json* ray_cluster(Json& job) {
  if (!api::api_version_of(job).starts_with("ray.io/")) return nullptr;
  Json* cluster = member(job, {"spec", "rayClusterSpec"});
  return cluster ? cluster : member(job, {"spec"});
}

bool is_inference_service(const Json& job) {
  return api::kind_name(job) == "InferenceService";
}

constexpr std::array<const char*, 3> kServiceParts = {"predictor", "transformer", "explainer"};

/// A controller may treat a negative count as 0, and the server reads 3.0 and 1e2 as whole numbers.
void make_counts_whole(Json& part) {
  constexpr std::array kCounts = {"replicas",    "minReplicas", "maxReplicas", "parallelism",
                                  "completions", "numNodes",    "numOfHosts"};
  constexpr double kMost = 1e9;
  if (!part.is_structured()) return;
  for (Json& member : part) make_counts_whole(member);
  if (!part.is_object()) return;
  for (const char* name : kCounts)
    if (const auto count = part.find(name); count != part.end() && count->is_number())
      *count = static_cast<long long>(std::clamp(std::ceil(count->get<double>()), 0.0, kMost));
}

/// The job with the most replicas that its autoscaler may give it.
Json at_its_largest(Json job) {
  make_counts_whole(job);
  const long long most = int_at(job, {"spec", "elasticPolicy", "maxReplicas"});
  if (Json* worker = member(job, {"spec", "pytorchReplicaSpecs", "Worker"}); worker && worker->is_object())
    raise(*worker, "replicas", most);
  if (Json* cluster = ray_cluster(job))
    if (Json* groups = member(*cluster, {"workerGroupSpecs"}); groups && groups->is_array())
      for (Json& group : *groups) {
        if (!group.is_object()) continue;
        const bool grows = bool_at(*cluster, {"enableInTreeAutoscaling"});
        raise(group, "replicas", int_at(group, {grows ? "maxReplicas" : "minReplicas"}));
        if (group.contains("numOfHosts")) raise(group, "numOfHosts", 1);
      }
  if (is_inference_service(job))
    for (const char* name : kServiceParts)
      if (Json* part = member(job, {"spec", name}); part && part->is_object())
        raise(*part, "minReplicas", int_at(*part, {"maxReplicas"}));
  return job;
}

/// Whether an autoscaler may add any number of replicas.
bool grows_without_limit(Json job) {
  if (is_inference_service(job))
    return std::any_of(kServiceParts.begin(), kServiceParts.end(), [&](const char* name) {
      const Json* part = member(job, {"spec", name});
      return part && int_at(*part, {"maxReplicas"}) <= 0;
    });
  Json* cluster = ray_cluster(job);
  if (!cluster || !bool_at(*cluster, {"enableInTreeAutoscaling"})) return false;
  const Json& groups = array_at(*cluster, {"workerGroupSpecs"});
  return std::any_of(groups.begin(), groups.end(),
                     [](const Json& group) { return int_at(group, {"maxReplicas"}) <= 0; });
}

bool claims_unknown_devices(const Json& job) {
  bool claims = false;
  each_pod_template(job, [&](const Json& pod, int) {
    const Json& all = array_at(pod, {"spec", "resourceClaims"});
    claims = claims || !std::all_of(all.begin(), all.end(), render::is_gpu_claim);
  });
  return claims;
}

/// A resource that stands for a part of a GPU or for several GPUs, such as nvidia.com/gpu.shared; empty if
/// the job requests none.
std::string uncounted_gpus(const Json& part) {
  if (!part.is_structured()) return {};
  for (const char* list : {"requests", "limits"})
    for (const auto& [name, amount] : object_at(part, {list}).items())
      if (contains(name, "/") && contains(lower(name), "gpu") && !api::is_gpu_resource(name)) return name;
  for (const Json& member : part)
    if (std::string name = uncounted_gpus(member); !name.empty()) return name;
  return {};
}

/// Whether a training runtime of the cluster decides how many GPUs the TrainJob gets.
bool is_sized_by_runtime(const Json& job) {
  if (api::kind_name(job) != "TrainJob") return false;
  const Json& trainer = object_at(job, {"spec", "trainer"});
  return !trainer.contains("numNodes") || object_at(trainer, {"resourcesPerNode"}).empty();
}

/// Whether the Job controller replaces a pod while the pod is still stopping. Both pods then hold GPUs.
bool replaces_early(const Json& job_spec) {
  return string_at(job_spec, {"podReplacementPolicy"}) != "Failed" &&
         !job_spec.contains("podFailurePolicy") &&
         int_at(job_spec, {"template", "spec", "terminationGracePeriodSeconds"}, 1) > 0;
}

bool has_early_replacements(const Json& job) {
  if (is_plain_job(job)) return replaces_early(object_at(job, {"spec"}));
  if (api::kind_name(job) != "JobSet") return false;
  const Json& jobs = array_at(job, {"spec", "replicatedJobs"});
  return std::any_of(jobs.begin(), jobs.end(), [](const Json& each) {
    return replaces_early(object_at(each, {"template", "spec"}));
  });
}

}  // namespace

PlannedJob largest_use(const Json& job) {
  const JobView view = basic_view_of_job(at_its_largest(job));
  PlannedJob planned{view.kind, view.name, view.pods, std::max(0LL, view.gpus), {}};
  if (view.is_size_unknown) {
    planned.is_size_unknown = true;
    return planned;
  }
  if (planned.gpus == 0) {
    planned.gpu_hours = 0;
    planned.spans_queues = true;
    return planned;
  }
  LongestRun longest = longest_run(job);
  if (longest.hours) planned.gpu_hours = *longest.hours * static_cast<double>(planned.gpus);
  planned.no_limit = std::move(longest.none);
  planned.spans_queues = longest.spans_queues;
  return planned;
}

std::string why_uncountable(const Json& job) {
  const JobKind* kind = described_kind_of(job);
  if (kind && !shows_pods(*kind, job)) return "whose pods are not in its manifest";
  if (claims_unknown_devices(job)) return "whose pods claim devices";
  if (const std::string name = uncounted_gpus(job); !name.empty()) return "whose pods request " + name;
  if (is_sized_by_runtime(job))
    return "whose nodes or GPUs are set by its training runtime; give --nodes, and --gpus or --cpu";
  if (has_early_replacements(job) && basic_view_of_job(at_its_largest(job)).gpus > 0)
    return "whose pods are replaced before they have ended; set podReplacementPolicy: Failed";
  return grows_without_limit(job) ? "whose autoscaler has no maxReplicas" : "";
}

}  // namespace kml::job
