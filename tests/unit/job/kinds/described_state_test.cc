#include <doctest/doctest.h>

#include "kml/job/kinds/job_kind.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/labels.h"
#include "support/owner.h"

namespace described_state_test {

using kml::Json;
using kml::job::State;

Json object(const char* api_version, const char* kind, Json status, Json spec = Json::object()) {
  return {{"apiVersion", api_version},
          {"kind", kind},
          {"metadata", {{"name", "a"}, {"namespace", "n"}, {"uid", "u"}}},
          {"spec", std::move(spec)},
          {"status", std::move(status)}};
}

Json volcano(const char* phase, int running = 0) {
  Json status = {{"state", {{"phase", phase}}}};
  if (running > 0) status["running"] = running;
  return object("batch.volcano.sh/v1alpha1", "Job", std::move(status));
}

Json ray(Json status) {
  return object("ray.io/v1", "RayJob", std::move(status));
}

Json with_condition(const char* api_version, const char* kind, const char* type, const char* status) {
  return object(api_version, kind, {{"conditions", {{{"type", type}, {"status", status}}}}});
}

TEST_CASE("described kinds: a job's state follows from the fields that its kind's description names") {
  const char* const kServing = "serving.kserve.io/v1beta1";
  const std::vector<std::pair<Json, State>> cases = {
      {volcano("Pending"), State::waiting},
      {volcano("Running", 3), State::running},
      {volcano("Completed"), State::succeeded},
      {volcano("Failed"), State::failed},
      {volcano("Terminated"), State::failed},
      {volcano("Aborted"), State::suspended},
      {ray({{"jobDeploymentStatus", "Initializing"}}), State::waiting},
      {ray({{"jobDeploymentStatus", "Running"}, {"jobStatus", "RUNNING"}}), State::running},
      {ray({{"jobDeploymentStatus", "Complete"}, {"jobStatus", "SUCCEEDED"}}), State::succeeded},
      {ray({{"jobDeploymentStatus", "Complete"}, {"jobStatus", "STOPPED"}}), State::cancelled},
      {ray({{"jobDeploymentStatus", "Failed"}}), State::failed},
      {ray({{"jobDeploymentStatus", "ValidationFailed"}}), State::failed},
      {ray({{"jobDeploymentStatus", "Failed"}, {"jobStatus", "FAILED"}}), State::failed},
      {ray({{"jobDeploymentStatus", "Retrying"}, {"jobStatus", "FAILED"}}), State::waiting},
      {ray({{"jobDeploymentStatus", "Running"}, {"jobStatus", "FAILED"}}), State::running},
      {ray({{"jobDeploymentStatus", "Running"}, {"jobStatus", "SUCCEEDED"}}), State::running},
      {ray({{"jobDeploymentStatus", "Running"}, {"jobStatus", "STOPPED"}}), State::running},
      {ray({{"jobDeploymentStatus", "Running"}, {"jobStatus", "PENDING"}}), State::waiting},
      {object("argoproj.io/v1alpha1", "Workflow", {{"phase", "Error"}}), State::failed},
      {object("argoproj.io/v1alpha1", "Workflow", Json::object(), {{"suspend", true}}), State::suspended},
      {object("workload.codeflare.dev/v1beta2", "AppWrapper", {{"phase", "Succeeded"}}), State::succeeded},
      {object("sparkoperator.k8s.io/v1beta2", "SparkApplication",
              {{"applicationState", {{"state", "COMPLETED"}}}}),
       State::succeeded},
      {with_condition(kServing, "InferenceService", "Ready", "True"), State::running},
      {with_condition(kServing, "InferenceService", "Ready", "Unknown"), State::waiting},
      {with_condition("kubeflow.org/v1", "TFJob", "Succeeded", "True"), State::succeeded},
      {with_condition("kubeflow.org/v1", "XGBoostJob", "Failed", "True"), State::failed},
  };
  for (const auto& [job, wanted] : cases) {
    const State found = kml::job::state_of(job, false);
    CHECK_MESSAGE(found == wanted, job.dump(), " is ", name_of(found));
  }
}

TEST_CASE("described kinds: a cancelled job is cancelled once it has stopped, unless it succeeded") {
  for (const auto& [job, wanted] :
       std::vector<std::pair<Json, State>>{{volcano("Running", 3), State::cancelling},
                                           {volcano("Aborted"), State::cancelled},
                                           {volcano("Failed"), State::cancelled},
                                           {volcano("Completed"), State::succeeded}}) {
    Json cancelled = job;
    cancelled["metadata"]["annotations"] = {{kml::api::kCancelled, "2026-01-01T00:00:00Z"}};
    CHECK_MESSAGE(kml::job::state_of(cancelled, false) == wanted, job.dump());
  }
}

TEST_CASE("described kinds: an expression that cannot be evaluated makes the state unknown, and is named") {
  const kml::job::JobKind kind = kml::job::parse_kind(
      "apiVersion: e.com/v1\nkind: T\npodLabel: {key: x}\nstates: {running: status.active > 0}\n", "t.yaml");
  const auto found = kml::job::state_by_description(kind, object("e.com/v1", "T", {{"active", "many"}}));
  CHECK(found.state == State::unknown);
  CHECK(found.fault.find("`running: status.active > 0` of kind T cannot be evaluated") == 0);
  // The state stays unknown even if a pod runs, or if the job was cancelled.
  Json job = volcano("Running");
  job["status"]["running"] = "many";
  CHECK(kml::job::state_of(job, true) == State::unknown);
  job["metadata"]["annotations"] = {{kml::api::kCancelled, "2026-01-01T00:00:00Z"}};
  CHECK(kml::job::state_of(job, true) == State::unknown);
}

TEST_CASE("described kinds: pods and GPUs are counted from all pod templates") {
  const Json pod = {
      {"spec", {{"containers", {{{"name", "m"}, {"resources", {{"limits", {{"nvidia.com/gpu", 2}}}}}}}}}}};
  const Json job = object("batch.volcano.sh/v1alpha1", "Job", Json::object(),
                          {{"tasks", {{{"replicas", 3}, {"template", pod}}, {{"template", pod}}}}});
  const kml::job::JobView view = kml::job::basic_view_of_job(job);
  CHECK(view.kind == "VolcanoJob");
  CHECK(view.pods == 4);
  CHECK(view.gpus == 8);
}

TEST_CASE("described kinds: a suspended job in a Kueue queue waits, whatever its kind") {
  const auto state_in = [](const std::string& queue, const char* version, const char* kind, Json status,
                           Json spec) {
    Json job = object(version, kind, std::move(status), std::move(spec));
    if (!queue.empty()) job["metadata"]["labels"][std::string(kml::api::kKueueQueue)] = queue;
    return kml::job::state_of(job, false);
  };
  const Json suspended = {{"suspend", true}}, none = {{"replicas", 0}};
  for (const auto& [queue, wanted] : {std::pair("", State::suspended), {"night", State::waiting}}) {
    CHECK(state_in(queue, "ray.io/v1", "RayJob", {{"jobDeploymentStatus", "Suspended"}}, suspended) ==
          wanted);
    CHECK(state_in(queue, "workload.codeflare.dev/v1beta2", "AppWrapper", {{"phase", "Suspended"}},
                   suspended) == wanted);
  }
  // A person has set its replicas to 0: Kueue holds the pods of a LeaderWorkerSet by scheduling gates.
  CHECK(state_in("night", "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", {}, none) == State::suspended);
}

TEST_CASE("described kinds: the numbers of pods and GPUs are unknown if neither the job nor pods show them") {
  const Json pod = {
      {"spec", {{"containers", {{{"name", "m"}, {"resources", {{"limits", {{"nvidia.com/gpu", 2}}}}}}}}}}};
  const Json ray_job =
      object("ray.io/v1", "RayJob", {},
             {{"rayClusterSpec",
               {{"workerGroupSpecs", {{{"replicas", 2}, {"numOfHosts", 4}, {"template", pod}}}}}}});
  CHECK(kml::job::basic_view_of_job(ray_job).gpus == 16);
  CHECK_FALSE(kml::job::basic_view_of_job(ray_job).is_size_unknown);
  const char* const kServing = "serving.kserve.io/v1beta1";
  const Json own = object(kServing, "InferenceService", {}, {{"predictor", pod["spec"]}});
  CHECK(kml::job::basic_view_of_job(own).gpus == 2);
  const std::vector<Json> unknown = {
      object(kServing, "InferenceService", {}, {{"predictor", {{"model", Json::object()}}}}),
      object("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", {}, {{"replicas", 2}}),
      object("argoproj.io/v1alpha1", "Workflow", {}),
      object("workload.codeflare.dev/v1beta2", "AppWrapper", {}),
      object("sparkoperator.k8s.io/v1beta2", "SparkApplication", {})};
  for (const Json& job : unknown) {
    CAPTURE(job["kind"]);
    CHECK(kml::job::basic_view_of_job(job).is_size_unknown);
    const std::vector<const Json*> pods = {&pod};
    CHECK_FALSE(kml::job::basic_view_of_job(job, pods).is_size_unknown);
    CHECK(kml::job::basic_view_of_job(job, pods).gpus == 2);
  }
}

TEST_CASE("described kinds: only kinds without an end run until they are deleted") {
  std::vector<std::string> endless;
  for (const kml::job::JobKind* kind : kml::job::described_kinds())
    if (kml::job::runs_until_deleted(*kind)) endless.push_back(kind->name);
  CHECK(endless == std::vector<std::string>{"InferenceService", "LeaderWorkerSet", "RayCluster"});
}

TEST_CASE("described kinds: Volcano's Job is a job, but not a Job of Kubernetes") {
  CHECK(kml::job::is_job(volcano("Pending")));
  CHECK_FALSE(kml::job::is_plain_job(volcano("Pending")));
  CHECK(kml::job::shown_kind(volcano("Pending")) == "VolcanoJob");
  REQUIRE(kml::job::kind_shown_as("VolcanoJob"));
  CHECK(kml::job::kind_shown_as("VolcanoJob")->group == "batch.volcano.sh");
  CHECK(kml::job::kind_shown_as("Job")->group == "batch");
}

TEST_CASE("described kinds: a Command object tells Volcano what to do with the job") {
  const kml::job::JobKind* kind = kml::job::described_kind_of(volcano("Running"));
  REQUIRE(kind);
  for (const auto& [action, wanted] :
       {std::pair(kind->suspend, "AbortJob"), {kind->resume, "ResumeJob"}, {kind->cancel, "AbortJob"}}) {
    const Json filled = kml::job::filled_action(action, volcano("Running"));
    CHECK(filled["create"]["action"] == wanted);
    CHECK(filled["create"]["target"]["uid"] == "u");
    CHECK(filled["create"]["metadata"]["ownerReferences"][0]["name"] == "a");
  }
}

TEST_CASE("described kinds: a pod's rank within its job comes from the labels that the description names") {
  const Json template_of = {{"spec", Json::object()}};
  const Json one = object("batch.volcano.sh/v1alpha1", "Job", {},
                          {{"tasks", {{{"replicas", 3}, {"template", template_of}}}}});
  const Json two = object("batch.volcano.sh/v1alpha1", "Job", {},
                          {{"tasks", {{{"template", template_of}}, {{"template", template_of}}}}});
  const Json pod = {
      {"metadata",
       {{"labels",
         {{"volcano.sh/job-name", "a"}, {"volcano.sh/task-spec", "worker"}, {"volcano.sh/task-index", "2"}}},
        {"ownerReferences",
         {{{"apiVersion", "batch.volcano.sh/v1alpha1"}, {"kind", "Job"}, {"controller", true}}}}}}};
  CHECK(kml::job::index_in_job(pod) == "worker-2");
  CHECK(kml::job::rank_of(pod, &one) == 2);
  CHECK_FALSE(kml::job::rank_of(pod, &two));
  Json of_job = pod;  // a Job's pod with a stranger's labels
  of_job["metadata"]["ownerReferences"][0]["apiVersion"] = "batch/v1";
  CHECK(kml::job::index_in_job(of_job).empty());
}

TEST_CASE(
    "described kinds: the pods of a LeaderWorkerSet are its own, and each has its group and its number") {
  const Json set = object("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", {}, {{"replicas", 2}});
  Json pod = {{"metadata",
               {{"labels",
                 {{"leaderworkerset.sigs.k8s.io/name", "a"},
                  {"leaderworkerset.sigs.k8s.io/group-index", "1"},
                  {"leaderworkerset.sigs.k8s.io/worker-index", "0"}}}}}};
  pod["metadata"]["ownerReferences"] =
      kml::controlled_by("a", "uid of a StatefulSet", "apps/v1", "StatefulSet");
  CHECK(kml::job::has_pod(set, pod));
  CHECK(kml::job::pod_selector(set) == "leaderworkerset.sigs.k8s.io/name=a");
  CHECK(kml::job::index_in_job(pod) == "1-0");
  CHECK_FALSE(kml::job::rank_of(pod, &set));  // group 0 has a pod with that number, too
}

TEST_CASE("described kinds: an action gets the job's values, however deeply its texts are nested") {
  const Json action = {
      {"create", {{"metadata", {{"generateName", "{name}-"}}}, {"of", {"{uid}", "{namespace}/{name}"}}}}};
  CHECK(kml::job::filled_action(action, volcano("Running")) ==
        Json{{"create", {{"metadata", {{"generateName", "a-"}}}, {"of", {"u", "n/a"}}}}});
}

}  // namespace described_state_test
