#include "job/submit/largest_use.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include "job/render/gpu_choice.h"
#include "job/render/workload.h"
#include "job/spec/json_path.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// Kubernetes' default for terminationGracePeriodSeconds.
constexpr long long kDefaultGrace = 30;

void find_longest_grace(const Json& part, long long& longest) {
  if (!part.is_structured()) return;
  longest = std::max(longest, int_at(part, {"terminationGracePeriodSeconds"}));
  for (const Json& member : part) find_longest_grace(member, longest);
}

/// How long pods of the job may keep their GPUs after they were told to end, in seconds. A TrainJob has its
/// grace period outside of a pod template.
double longest_grace(const Json& job) {
  std::optional<long long> of_pods;
  each_pod_template(job, [&](const Json& pod, int) {
    const long long grace = int_at(pod, {"spec", "terminationGracePeriodSeconds"}, kDefaultGrace);
    of_pods = std::max(of_pods.value_or(0), grace);
  });
  long long longest = of_pods.value_or(kDefaultGrace);
  find_longest_grace(job, longest);
  return static_cast<double>(longest);
}

/// How long all starts of the job may take together. Each job of a JobSet has its own limit, and all jobs are
/// started again after a failure.
std::optional<double> longest_hours(const Json& job) {
  constexpr double kSecondsPerHour = 3600;
  const std::optional<render::Workload> workload = render::workload_of(job);
  if (!workload || workload->time_limits.empty()) return {};
  double longest = 0;
  for (const std::string& path : workload->time_limits) {
    const auto steps = spec::parse_path(path);
    const Json* limit = steps ? spec::find(job, *steps) : nullptr;
    if (!limit || !limit->is_number_integer() || limit->get<long long>() <= 0) return {};
    longest = std::max(longest, static_cast<double>(limit->get<long long>()));
  }
  const long long restarts =
      api::kind_name(job) == "JobSet" ? int_at(job, {"spec", "failurePolicy", "maxRestarts"}) : 0;
  return (longest + longest_grace(job)) * (1 + static_cast<double>(restarts)) / kSecondsPerHour;
}

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

/// The job with the most replicas that its autoscaler may give it.
Json at_its_largest(Json job) {
  const long long most = int_at(job, {"spec", "elasticPolicy", "maxReplicas"});
  if (Json* worker = member(job, {"spec", "pytorchReplicaSpecs", "Worker"}); worker && worker->is_object())
    raise(*worker, "replicas", most);
  if (Json* cluster = ray_cluster(job))
    if (Json* groups = member(*cluster, {"workerGroupSpecs"}); groups && groups->is_array())
      for (Json& group : *groups) {
        if (!group.is_object()) continue;
        const bool grows = bool_at(*cluster, {"enableInTreeAutoscaling"});
        raise(group, "replicas", int_at(group, {grows ? "maxReplicas" : "minReplicas"}));
        group["replicas"] = int_at(group, {"replicas"}) * std::max(1LL, int_at(group, {"numOfHosts"}, 1));
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

}  // namespace

PlannedJob largest_use(const Json& job) {
  const JobView view = basic_view_of_job(at_its_largest(job));
  PlannedJob planned{view.kind, view.name, view.pods, std::max(0LL, view.gpus), {}};
  if (planned.gpus == 0)
    planned.gpu_hours = 0;
  else if (const auto hours = longest_hours(job))
    planned.gpu_hours = *hours * static_cast<double>(planned.gpus);
  return planned;
}

std::string why_uncountable(const Json& job) {
  const JobKind* kind = described_kind_of(job);
  if (kind && kind->templates.empty()) return "whose pods are not in its manifest";
  if (claims_unknown_devices(job)) return "whose pods claim devices";
  return grows_without_limit(job) ? "whose autoscaler has no maxReplicas" : "";
}

}  // namespace kml::job
