#include "kml/job/submit/plan_file.h"

#include <doctest/doctest.h>

#include <optional>

#include "kml/base/json.h"

namespace plan_file_test {

using namespace kml;
using namespace kml::job;

namespace {

/// A pod template with two GPUs.
Json two_gpus(Json spec = Json::object()) {
  spec["containers"] = {{{"name", "main"}, {"resources", {{"limits", {{"nvidia.com/gpu", "2"}}}}}}};
  return {{"spec", std::move(spec)}};
}

Json object(const char* version, const char* kind, Json spec) {
  return {{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", "j"}}}, {"spec", std::move(spec)}};
}

Json job(Json spec) {
  spec["template"] = spec.value("template", two_gpus());
  return object("batch/v1", "Job", std::move(spec));
}

Json pytorch(Json spec) {
  return object("kubeflow.org/v1", "PyTorchJob", std::move(spec));
}

Json ray(const char* kind, Json cluster, Json group) {
  group["template"] = two_gpus();
  cluster["headGroupSpec"] = {{"template", {{"spec", Json::object()}}}};
  cluster["workerGroupSpecs"] = Json::array({std::move(group)});
  return object(
      "ray.io/v1", kind,
      std::string(kind) == "RayJob" ? Json{{"rayClusterSpec", std::move(cluster)}} : std::move(cluster));
}

Json job_set(Json spec, Json of_job) {
  of_job["template"] = two_gpus();
  spec["replicatedJobs"] = {{{"name", "a"}, {"replicas", 3}, {"template", {{"spec", std::move(of_job)}}}}};
  return object("jobset.x-k8s.io/v1alpha2", "JobSet", std::move(spec));
}

constexpr long long kHour = 3600;

struct Row {
  const char* what;
  Json object;
  long long gpus;
  std::optional<double> gpu_seconds;
};

}  // namespace

TEST_CASE(
    "plan_file: the GPU hours counted for a job are an upper limit, with grace periods and autoscalers") {
  const Json limit = {{"activeDeadlineSeconds", kHour}}, limits = {{"runPolicy", limit}};
  const auto with = [](Json one, const Json& other) {
    one.update(other);
    return one;
  };
  const Json worker = {{"replicas", 2}, {"template", two_gpus()}};
  const Row rows[] = {
      {"the default grace period", job(limit), 2, 2 * (kHour + 30)},
      {"a grace period",
       job(with(limit, {{"template", two_gpus({{"terminationGracePeriodSeconds", 7200}})}})), 2,
       2 * 3 * kHour},
      {"no grace period", job(with(limit, {{"template", two_gpus({{"terminationGracePeriodSeconds", 0}})}})),
       2, 2 * kHour},
      {"the longest time limit", job({{"activeDeadlineSeconds", 9223372036854775807LL}}), 2,
       2 * (9223372036854775807.0 + 30)},
      {"no time limit", job(Json::object()), 2, {}},
      {"parallel pods", job(with(limit, {{"parallelism", 3}})), 6, 6 * (kHour + 30)},
      {"a plain pod", object("v1", "Pod", with(limit, two_gpus()["spec"])), 0, {}},
      {"a JobSet that restarts", job_set({{"failurePolicy", {{"maxRestarts", 4}}}}, limit), 6,
       5 * 6 * (kHour + 30)},
      {"an elastic PyTorchJob",
       pytorch(with(limits, {{"elasticPolicy", {{"minReplicas", 1}, {"maxReplicas", 50}}},
                             {"pytorchReplicaSpecs", {{"Worker", worker}}}})),
       100, 100 * (kHour + 30)},
      {"an elastic PyTorchJob that starts at its largest",
       pytorch(with(
           limits, {{"elasticPolicy", {{"maxReplicas", 1}}}, {"pytorchReplicaSpecs", {{"Worker", worker}}}})),
       4, 4 * (kHour + 30)},
      {"a PyTorchJob whose workers have another grace period",
       pytorch(with(limits,
                    {{"pytorchReplicaSpecs",
                      {{"Master", {{"template", two_gpus()}}},
                       {"Worker", {{"template", two_gpus({{"terminationGracePeriodSeconds", kHour}})}}}}}})),
       4, 4 * 2 * kHour},
      {"a RayJob that grows",
       ray("RayJob", {{"enableInTreeAutoscaling", true}}, {{"replicas", 1}, {"maxReplicas", 9}}),
       18,
       {}},
      {"a RayJob that does not grow",
       ray("RayJob", Json::object(), {{"replicas", 1}, {"maxReplicas", 9}}),
       2,
       {}},
      {"a RayCluster with several hosts",
       ray("RayCluster", {{"enableInTreeAutoscaling", true}}, {{"maxReplicas", 3}, {"numOfHosts", 4}}),
       24,
       {}},
      {"a RayCluster that begins with none",
       ray("RayCluster", Json::object(), {{"replicas", 0}, {"minReplicas", 2}}),
       4,
       {}},
      {"a model that grows",
       object("serving.kserve.io/v1beta1", "InferenceService",
              {{"predictor", with(two_gpus()["spec"], {{"minReplicas", 0}, {"maxReplicas", 5}})}}),
       10,
       {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const std::vector<PlannedJob> jobs = planned_jobs({row.object});
    if (row.gpus == 0) {  // not a job for kml, so its GPUs are not counted
      CHECK(jobs.empty());
      CHECK(!other_holders({row.object}).empty());
      continue;
    }
    REQUIRE(jobs.size() == 1);
    CHECK(jobs[0].gpus == row.gpus);
    CHECK(other_holders({row.object}).empty());
    REQUIRE(jobs[0].gpu_hours.has_value() == row.gpu_seconds.has_value());
    if (row.gpu_seconds) CHECK(*jobs[0].gpu_hours * kHour == doctest::Approx(*row.gpu_seconds));
  }
}

TEST_CASE("plan_file: a plan names the jobs whose GPUs kml cannot count") {
  const Json claim = {{{"name", "gpus"}, {"resourceClaimTemplateName", "eight-gpus"}}};
  const std::pair<const char*, Json> rows[] = {
      {"in other objects", object("workload.codeflare.dev/v1beta2", "AppWrapper",
                                  {{"components", {{{"template", job(Json::object())}}}}})},
      {"in executors", object("sparkoperator.k8s.io/v1beta2", "SparkApplication",
                              {{"executor", {{"gpu", {{"name", "nvidia.com/gpu"}, {"quantity", 4}}}}}})},
      {"claimed devices", job({{"template", two_gpus({{"resourceClaims", claim}})}})},
      {"any number of workers", ray("RayJob", {{"enableInTreeAutoscaling", true}}, {{"replicas", 1}})},
      {"any number of replicas",
       object("serving.kserve.io/v1beta1", "InferenceService", {{"predictor", two_gpus()["spec"]}})}};
  for (const auto& [what, holder] : rows) {
    CAPTURE(what);
    CHECK(other_holders({holder}).size() == 1);
    PlanFile plan;
    plan.other_holders = other_holders({holder});
    CHECK(!gpu_hours_of(plan));
  }
}

}  // namespace plan_file_test
