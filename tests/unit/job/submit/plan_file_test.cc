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
  spec.emplace("podReplacementPolicy", "Failed");
  return object("batch/v1", "Job", std::move(spec));
}

Json pytorch(Json spec) {
  spec["runPolicy"].emplace("cleanPodPolicy", "Running");
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
  of_job["podReplacementPolicy"] = "Failed";
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
      {"a PyTorchJob with a negative number of workers",
       pytorch(with(limits, {{"pytorchReplicaSpecs",
                              {{"Master", {{"template", two_gpus()}}},
                               {"Worker", with(worker, {{"replicas", -5}})}}}})),
       2, 2 * (kHour + 30)},
      {"a PyTorchJob whose workers are counted by a real number",
       pytorch(with(limits, {{"pytorchReplicaSpecs", {{"Worker", with(worker, {{"replicas", 1e1}})}}}})), 20,
       20 * (kHour + 30)},
      {"parallel pods, counted by a real number", job(with(limit, {{"parallelism", 3.0}})), 6,
       6 * (kHour + 30)},
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

namespace {

/// A job with a time limit of an hour, and this grace period.
Json limited(long long grace, const Json& more = Json::object()) {
  Json spec = {{"activeDeadlineSeconds", kHour},
               {"template", two_gpus({{"terminationGracePeriodSeconds", grace}})}};
  spec.update(more);
  return job(std::move(spec));
}

Json with_label(Json object, const char* label, const char* value) {
  object["metadata"]["labels"][label] = value;
  return object;
}

Json in_queue(Json object, const char* of_all_starts = nullptr) {
  object = with_label(std::move(object), "kueue.x-k8s.io/queue-name", "q");
  return of_all_starts ? with_label(std::move(object), "kueue.x-k8s.io/max-exec-time-seconds", of_all_starts)
                       : object;
}

Json limited_pytorch(const Json& policy) {
  Json run_policy = {{"activeDeadlineSeconds", kHour}};
  run_policy.update(policy);
  return pytorch(
      {{"runPolicy", run_policy}, {"pytorchReplicaSpecs", {{"Master", {{"template", two_gpus()}}}}}});
}

Json restarting_set(const char* action) {
  return job_set({{"failurePolicy", {{"maxRestarts", 4}, {"rules", {{{"action", action}}}}}}},
                 {{"activeDeadlineSeconds", kHour}});
}

struct StartRow {
  const char* what;
  Json object;
  std::optional<double> gpu_seconds;
  const char* why_not = "";  ///< a part of the reason why there is no limit
  bool spans_queues = false;
};

}  // namespace

TEST_CASE("plan_file: the GPU hours of a job include all of its starts, or have no limit") {
  const char* const kByQueue = "Kueue may stop a job";
  const StartRow rows[] = {
      {"retries share the limit", limited(0, {{"backoffLimit", 100}}), 2 * kHour},
      {"retries of tasks share the limit", limited(0, {{"backoffLimitPerIndex", 5}, {"parallelism", 3}}),
       6 * kHour},
      {"a pod failure policy that ignores failures",
       limited(0, {{"podFailurePolicy", {{"rules", {{{"action", "Ignore"}}}}}}}), 2 * kHour},
      {"a job that begins suspended", limited(0, {{"suspend", true}}), 2 * kHour},
      {"a queue", in_queue(limited(0)), {}, kByQueue},
      {"a queue, with a time limit for all starts", in_queue(limited(0), "7200"), 2 * 7200, "", true},
      {"such a limit, and grace periods", in_queue(limited(60), "7200"), {}, kByQueue},
      {"such a limit of 0", in_queue(limited(0), "0"), {}, kByQueue},
      {"such a limit below 0", in_queue(limited(0), "-7200"), {}, kByQueue},
      {"such a limit that is not a number", in_queue(limited(0), "2h"), {}, kByQueue},
      {"such a limit that is too large", in_queue(limited(0), "99999999999999999999"), {}, kByQueue},
      {"no queue, but such a limit", with_label(limited(0), "kueue.x-k8s.io/max-exec-time-seconds", "600"),
       2 * kHour, "", true},
      {"another cluster of Kueue", limited(0, {{"managedBy", "kueue.x-k8s.io/multikueue"}}), {}, kByQueue},
      {"an unknown controller", limited(0, {{"managedBy", "example.com/x"}}), {}, "example.com/x"},
      {"the usual controller", limited(0, {{"managedBy", "kubernetes.io/job-controller"}}), 2 * kHour},
      {"a JobSet whose jobs restart", restarting_set("RestartJobSet"), 5 * 6 * (kHour + 30)},
      {"a JobSet whose jobs restart one by one", restarting_set("RestartJob"), 9 * 6 * (kHour + 30)},
      {"a JobSet that restarts without a limit",
       restarting_set("RestartJobSetAndIgnoreMaxRestarts"),
       {},
       "failure policy"},
      {"a JobSet whose jobs restart without a limit",
       restarting_set("RestartJobAndIgnoreMaxRestarts"),
       {},
       "failure policy"},
      {"a JobSet in a queue", in_queue(restarting_set("RestartJobSet")), {}, kByQueue},
      {"a PyTorchJob", limited_pytorch({{"cleanPodPolicy", "Running"}, {"backoffLimit", 9}}),
       2 * (kHour + 30)},
      {"a PyTorchJob that deletes all pods", limited_pytorch({{"cleanPodPolicy", "All"}}), 2 * (kHour + 30)},
      {"a PyTorchJob whose pods outlive it",
       limited_pytorch({{"cleanPodPolicy", "None"}}),
       {},
       "cleanPodPolicy"},
      {"a PyTorchJob in a queue", in_queue(limited_pytorch(Json::object())), {}, kByQueue},
      {"an MPIJob whose workers outlive it",
       object("kubeflow.org/v2beta1", "MPIJob",
              {{"runPolicy", {{"activeDeadlineSeconds", kHour}}},
               {"mpiReplicaSpecs", {{"Worker", {{"replicas", 2}, {"template", two_gpus()}}}}}}),
       {},
       "cleanPodPolicy"},
  };
  for (const StartRow& row : rows) {
    CAPTURE(row.what);
    const std::vector<PlannedJob> jobs = planned_jobs({row.object});
    REQUIRE(jobs.size() == 1);
    CHECK(other_holders({row.object}).empty());
    CHECK(jobs[0].spans_queues == row.spans_queues);
    REQUIRE(jobs[0].gpu_hours.has_value() == row.gpu_seconds.has_value());
    if (row.gpu_seconds) CHECK(*jobs[0].gpu_hours * kHour == doctest::Approx(*row.gpu_seconds));
    REQUIRE(jobs[0].no_limit.has_value() == !std::string(row.why_not).empty());
    if (jobs[0].no_limit) CHECK(jobs[0].no_limit->why.find(row.why_not) != std::string::npos);
  }
}

TEST_CASE("plan_file: a plan names the jobs and other objects whose GPUs kml cannot count") {
  const Json claim = {{{"name", "gpus"}, {"resourceClaimTemplateName", "eight-gpus"}}};
  const std::pair<const char*, Json> rows[] = {
      {"in other objects", object("workload.codeflare.dev/v1beta2", "AppWrapper",
                                  {{"components", {{{"template", job(Json::object())}}}}})},
      {"in executors", object("sparkoperator.k8s.io/v1beta2", "SparkApplication",
                              {{"executor", {{"gpu", {{"name", "nvidia.com/gpu"}, {"quantity", 4}}}}}})},
      {"claimed devices", job({{"template", two_gpus({{"resourceClaims", claim}})}})},
      {"pods that are replaced before they have ended",
       limited(60, {{"podReplacementPolicy", "TerminatingOrFailed"}})},
      {"a part of a GPU",
       job({{"template",
             {{"spec",
               {{"containers", {{{"resources", {{"limits", {{"nvidia.com/gpu.shared", 4}}}}}}}}}}}}})},
      {"a runtime's nodes",
       object("trainer.kubeflow.org/v1alpha1", "TrainJob",
              {{"trainer", {{"resourcesPerNode", {{"limits", {{"nvidia.com/gpu", 1}}}}}}}})},
      {"a runtime's GPUs",
       object("trainer.kubeflow.org/v1alpha1", "TrainJob", {{"trainer", {{"numNodes", 2}}}})},
      {"a schedule", object("batch/v1", "CronJob", {{"jobTemplate", limited(0)}})},
      {"a Deployment", object("apps/v1", "Deployment", {{"template", two_gpus()}})},
      {"a Service with pods", object("serving.knative.dev/v1", "Service", {{"template", two_gpus()}})},
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

TEST_CASE("plan_file: the size of a job whose manifest does not show its pods is unknown, not 0") {
  const std::pair<Json, bool> rows[] = {
      {object("argoproj.io/v1alpha1", "Workflow", Json::object()), true},
      {object("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", {{"replicas", 2}}), true},
      {object("sparkoperator.k8s.io/v1beta2", "SparkApplication", Json::object()), true},
      {ray("RayCluster", Json::object(), {{"replicas", 0}}), false},
      {job(Json::object()), false}};
  for (const auto& [of_plan, is_unknown] : rows) {
    CAPTURE(of_plan);
    PlanFile plan;
    plan.jobs = planned_jobs({of_plan});
    REQUIRE(plan.jobs.size() == 1);
    const Json shown = to_json(plan)["jobs"][0];
    CHECK(shown["pods"].is_null() == is_unknown);
    CHECK(shown["gpus"].is_null() == is_unknown);
    if (is_unknown) CHECK(shown["gpuHours"].is_null());
  }
}

}  // namespace plan_file_test
