#include "job/why/retries.h"

#include <doctest/doctest.h>

#include "job/why/objects.h"

namespace retries_test {

using namespace kml;
using namespace kml::test;

namespace {

Json job_of(const char* version, const char* kind, Json spec) {
  return {{"apiVersion", version},
          {"kind", kind},
          {"metadata", {{"name", "bert"}, {"namespace", "lab"}, {"uid", "job-uid"}}},
          {"spec", std::move(spec)}};
}

Json pytorchjob(const Json& replica, const Json& run_policy = Json::object()) {
  return job_of("kubeflow.org/v1", "PyTorchJob",
                {{"runPolicy", run_policy}, {"pytorchReplicaSpecs", {{"Master", replica}}}});
}

Json jobset(const Json& of_job, const Json& policy) {
  const Json replicated = {{"name", "node"}, {"template", {{"spec", of_job}}}};
  return job_of("jobset.x-k8s.io/v1alpha2", "JobSet",
                {{"replicatedJobs", Json::array({replicated})}, {"failurePolicy", policy}});
}

Json failed_master(int code) {
  return {{"metadata", {{"name", "bert-master-0"}}},
          {"status",
           {{"phase", "Failed"},
            {"containerStatuses",
             Json::array({{{"name", "pytorch"}, {"state", {{"terminated", {{"exitCode", code}}}}}}})}}}};
}

}  // namespace

TEST_CASE("why: each kind of job has its own number of retries, and its own default") {
  const Json none = Json::object(), zero = {{"backoffLimit", 0}}, two = {{"backoffLimit", 2}};
  const auto policy = [](const char* name) { return Json{{"restartPolicy", name}}; };
  struct Row {
    const char* what;
    Json job;
    int code;  ///< of the pod that failed last
    std::optional<long long> retries;
  };
  for (const Row& row : std::vector<Row>{
           {"a Job", job_of("batch/v1", "Job", none), 1, 6},
           {"a Job with a limit", job_of("batch/v1", "Job", two), 1, 2},
           {"an MPIJob", job_of("kubeflow.org/v2beta1", "MPIJob", none), 1, 6},
           {"an MPIJob without retries", job_of("kubeflow.org/v2beta1", "MPIJob", {{"runPolicy", zero}}), 1,
            0},
           {"a JobSet", jobset(zero, none), 1, 0},
           {"a JobSet that may restart", jobset(zero, {{"maxRestarts", 3}}), 1, 3},
           {"a JobSet whose Jobs replace their pods", jobset(none, none), 1, {}},
           {"a PyTorchJob", pytorchjob(none), 1, {}},
           {"a PyTorchJob with a limit", pytorchjob(none, two), 1, 2},
           {"a PyTorchJob that restarts nothing", pytorchjob(policy("Never"), two), 137, 0},
           {"an error of the program", pytorchjob(policy("ExitCode")), 1, 0},
           {"a signal", pytorchjob(policy("ExitCode")), 137, {}},
           {"a signal, with a limit", pytorchjob(policy("ExitCode"), two), 137, 2},
           {"a TrainJob", job_of("trainer.kubeflow.org/v1alpha1", "TrainJob", none), 1, {}},
           {"a described kind", job_of("ray.io/v1", "RayJob", none), 1, {}},
       }) {
    CAPTURE(row.what);
    const Json pod = failed_master(row.code);
    CHECK(job::retries_of(row.job, &pod) == row.retries);
  }
}

TEST_CASE("why: a JobSet has no attempts left once its restarts and the failure of now exceed its limit") {
  const Json none = Json::object(),
             ignores = Json::array({{{"action", "RestartJobSetAndIgnoreMaxRestarts"}}});
  struct Row {
    const char* what;
    Json status;
    std::vector<const char*> attempts;  ///< of the failed pods; "" if the label is unknown
    CauseCode code;
    Json rules = nullptr;
  };
  const auto backoff = CauseCode::backoff, failing = CauseCode::failing;
  for (const Row& row : std::vector<Row>{
           {"the first failure", none, {"0"}, backoff},
           {"two pods of one attempt", none, {"0", "0"}, backoff},
           {"the attempt before a restart", {{"restarts", 1}}, {"0"}, backoff},
           {"the last attempt", {{"restarts", 1}, {"restartsCountTowardsMax", 1}}, {"1"}, failing},
           {"the last attempt in an old JobSet", {{"restarts", 1}}, {"1"}, failing},
           {"the last attempt in a list, which leaves out labels", {{"restarts", 1}}, {""}, failing},
           {"a restart that did not count", {{"restarts", 1}}, {"1"}, backoff, ignores},
       }) {
    CAPTURE(row.what);
    Json set = jobset({{"backoffLimit", 0}}, {{"maxRestarts", 1}});
    set["status"] = row.status;
    if (!row.rules.is_null()) set["spec"]["failurePolicy"]["rules"] = row.rules;
    std::vector<Json> pods;
    for (const char* attempt : row.attempts) {
      Json& pod = pods.emplace_back(failed_master(1));
      pod["metadata"]["uid"] = "p" + std::to_string(pods.size());
      if (*attempt) pod["metadata"]["labels"]["jobset.sigs.k8s.io/restart-attempt"] = attempt;
    }
    CHECK(Known(set, pods).cause().code == row.code);
  }
}

TEST_CASE("why: a job whose operator restarts it is not said to be about to fail") {
  Json job = pytorchjob({{"restartPolicy", "ExitCode"}, {"replicas", 1}});
  const auto code_after = [&](int code) {
    Json pod = failed_master(code);
    pod["metadata"]["uid"] = "p";
    return Known(job, {pod}).cause().code;
  };
  CHECK(code_after(1) == CauseCode::failing);
  CHECK(code_after(137) == CauseCode::backoff);
}

}  // namespace retries_test
