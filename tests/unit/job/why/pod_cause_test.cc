#include <doctest/doctest.h>

#include "job/why/objects.h"
#include "kml/job/views/job_view.h"
#include "kml/job/why/why.h"

namespace pod_cause_test {

using namespace kml;
using namespace kml::test;

namespace {

job::Cause of_waiting(const std::string& reason, const std::string& message,
                      const std::vector<Json>& events = {}) {
  const Json bert = make_job("bert");
  Known known(bert, {waiting(make_pod(bert), reason, message)});
  known.facts.events = events;
  return known.cause();
}

Json ended(Json pod, int code, const std::string& reason = "Error", const std::string& message = "") {
  pod = on_node(pod, "node1", "Failed");
  pod["status"]["containerStatuses"] = Json::array(
      {{{"name", "main"},
        {"state", {{"terminated", {{"exitCode", code}, {"reason", reason}, {"message", message}}}}}}});
  return pod;
}

}  // namespace

TEST_CASE("why: each reason why an image cannot be pulled has its own cause") {
  const auto missing = of_waiting(
      "ErrImagePull", "failed to pull and unpack image \"docker.io/img:1\": docker.io/img:1: not found");
  CHECK(missing.code == CauseCode::image_missing);
  CHECK(missing.summary == "image img:1 does not exist in its registry");
  CHECK(missing.outlook == job::Outlook::never);
  CHECK(of_waiting("ErrImagePull", "pull access denied, repository may require authorization").code ==
        CauseCode::image_forbidden);
  CHECK(of_waiting("ErrImagePull", "failed to authorize: 401 Unauthorized").code ==
        CauseCode::image_forbidden);
  const auto away = of_waiting("ErrImagePull", "dial tcp: lookup registry.example: no such host");
  CHECK(away.code == CauseCode::image_unreachable);
  CHECK(away.outlook == job::Outlook::waits);
  // Newer kubelets repeat the error in the back-off's message; older ones only report it in an event.
  CHECK(of_waiting("ImagePullBackOff",
                   "Back-off pulling image \"img:1\": ErrImagePull: docker.io/img:1: not found")
            .code == CauseCode::image_missing);
  const Json its = make_pod(make_job("bert"));
  CHECK(of_waiting("ImagePullBackOff", "Back-off pulling image \"img:1\"",
                   {event(its, "Failed", "Failed to pull image \"img:1\": 403 Forbidden")})
            .code == CauseCode::image_forbidden);
  CHECK(of_waiting("InvalidImageName", "couldn't parse image name").code == CauseCode::image_name_invalid);
  CHECK(of_waiting("ErrImageNeverPull", "").code == CauseCode::image_never_pulled);
}

TEST_CASE("why: an object that a container needs is named if it does not exist") {
  const auto secret = of_waiting("CreateContainerConfigError", "secret \"token\" not found");
  CHECK(secret.code == CauseCode::secret_missing);
  CHECK(secret.summary == "Secret token does not exist in namespace lab");
  CHECK(
      secret.remedies.at(0).command ==
      R"(echo '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"token"},"stringData":{"KEY":"VALUE"}}' | kml submit -n lab -f -)");
  const auto code = of_waiting("CreateContainerConfigError", "secret \"kml-code-1a2b\" not found");
  CHECK(code.code == CauseCode::secret_missing);
  CHECK(code.summary.find("it was deleted with its job or sweep") != std::string::npos);
  CHECK(code.remedies.at(0).command == "kml submit --code FOLDER ...");
  CHECK(of_waiting("CreateContainerConfigError", "secret \"kml-packages-1a2b\" not found").brief ==
        "its list of packages is deleted");
  CHECK(of_waiting("CreateContainerConfigError", "configmap \"settings\" not found").code ==
        CauseCode::config_map_missing);
  CHECK(of_waiting("CreateContainerConfigError", "couldn't find key api in Secret lab/token").summary ==
        "Secret lab/token has no key api");
  const auto as_root = of_waiting("CreateContainerConfigError",
                                  "container has runAsNonRoot and image will run as root (pod: "
                                  "\"a-x1_lab(c0)\", container: main)");
  CHECK(as_root.summary ==
        "a container's configuration is invalid: container has runAsNonRoot and image will run as root");
  CHECK(as_root.remedies.at(0).command.find("runAsUser") != std::string::npos);
  CHECK(of_waiting("CreateContainerConfigError", "container has runAsNonRoot and image will run as root")
            .code == CauseCode::container_config);
  const Json its = make_pod(make_job("bert"));
  CHECK(of_waiting("ContainerCreating", "",
                   {event(its, "FailedMount",
                          "MountVolume.SetUp failed for volume \"v\" : secret \"token\" not found")})
            .code == CauseCode::secret_missing);
  CHECK(of_waiting("ContainerCreating", "", {event(its, "FailedMount", "mount timed out")}).code ==
        CauseCode::volume_mount);
  CHECK(of_waiting("ContainerCreating", "").code == CauseCode::starting);
  CHECK(of_waiting("RunContainerError", "exec: \"python\": executable file not found in $PATH").code ==
        CauseCode::command_cannot_run);
}

TEST_CASE("why: a crash loop is reported with how the last run ended; init containers have separate causes") {
  const Json bert = make_job("bert");
  Json crashing = waiting(make_pod(bert), "CrashLoopBackOff", "back-off 10s");
  crashing["status"]["phase"] = "Running";
  crashing["status"]["containerStatuses"][0]["restartCount"] = 4;
  crashing["status"]["containerStatuses"][0]["lastState"]["terminated"] = {{"exitCode", 137},
                                                                           {"reason", "OOMKilled"}};
  CHECK(Known(bert, {crashing}).cause().code == CauseCode::crash_loop);
  CHECK(Known(bert, {crashing}).cause().summary ==
        "container main of pod bert-0 crashed 5 times, the last time: out of memory");

  // Kubernetes 1.35 and later first shows only how the last run ended.
  Json& status = crashing["status"]["containerStatuses"][0];
  status["state"] = {{"terminated", {{"exitCode", 7}, {"reason", "Error"}}}};
  crashing["spec"]["restartPolicy"] = "OnFailure";
  CHECK(Known(bert, {crashing}).cause().code == CauseCode::crash_loop);
  CHECK(Known(bert, {crashing}).cause().summary ==
        "container main of pod bert-0 crashed 5 times, the last time: exit code 7");
  Json other = crashing;
  SUBCASE("the first crash") {
    other["status"]["containerStatuses"][0]["restartCount"] = 0;
  }
  SUBCASE("a container that stays ended") {
    other["spec"]["restartPolicy"] = "Never";
  }
  SUBCASE("a success") {
    other["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] = 0;
  }
  SUBCASE("a pod that is deleted") {
    other["metadata"]["deletionTimestamp"] = "2026-08-01T10:00:00Z";
  }
  if (other != crashing) CHECK(Known(bert, {other}).cause().code != CauseCode::crash_loop);

  Json init = waiting(make_pod(bert), "PodInitializing");
  init["status"]["initContainerStatuses"] =
      Json::array({{{"name", "fetch"}, {"state", {{"running", Json::object()}}}}});
  CHECK(Known(bert, {init}).cause().code == CauseCode::init_container_runs);
  init["status"]["initContainerStatuses"][0]["state"] = {{"waiting", {{"reason", "CrashLoopBackOff"}}}};
  CHECK(Known(bert, {init}).cause().code == CauseCode::init_container_fails);
  init["spec"]["restartPolicy"] = "OnFailure";
  init["status"]["initContainerStatuses"][0]["state"] = {{"terminated", {{"exitCode", 1}}}};
  init["status"]["initContainerStatuses"][0]["restartCount"] = 1;
  CHECK(Known(bert, {init}).cause().code == CauseCode::init_container_fails);
}

TEST_CASE("why: a preemptor is named by its name, not its UID") {
  const Json bert = make_job("bert", 1);
  const Json victim =
      with_condition(on_node(make_pod(bert), "gpu-1", "Failed"), "DisruptionTarget", "PreemptionByScheduler");
  Json preemptor = on_node(make_pod(make_job("urgent", 1)), "gpu-1");
  preemptor["spec"]["priority"] = 1000;
  preemptor["metadata"]["labels"]["kml.dev/user"] = "ana";
  Known known(bert, {victim});
  known.facts.active_pods = std::vector<Json>{preemptor};
  known.facts.events =
      std::vector<Json>{event(victim, "Preempted", "Preempted by pod uid-urgent-0 on node gpu-1")};
  const job::Cause cause = known.cause();
  CHECK(cause.code == CauseCode::preempted);
  CHECK(cause.summary == "pod bert-0 on node gpu-1 was stopped for urgent (ana, priority 1000)");
  CHECK(cause.summary.find("uid") == std::string::npos);
  known.facts.active_pods->clear();
  CHECK(known.cause().summary.find("uid") == std::string::npos);

  const Json drained =
      with_condition(on_node(make_pod(bert), "gpu-1", "Failed"), "DisruptionTarget", "EvictionByEvictionAPI");
  CHECK(Known(bert, {drained}).cause().code == CauseCode::evicted);
  CHECK(Known(bert, {with_condition(on_node(make_pod(bert), "gpu-1", "Failed"), "DisruptionTarget",
                                    "TerminationByKubelet")})
            .cause()
            .code == CauseCode::evicted);
}

TEST_CASE("why: a preemptor is named even if the pod it preempted is gone") {
  const Json bert = make_job("bert", 1);
  Known known(bert, {unschedulable(make_pod(bert, "new"),
                                   "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")});
  const Json gone = {{"metadata", {{"uid", "gone"}}}};
  Json preempted = event(gone, "Preempted", "Preempted by pod uid-urgent-0 on node gpu-1");
  preempted["involvedObject"]["name"] = "bert-old";
  known.facts.active_pods = std::vector<Json>{on_node(make_pod(make_job("urgent", 1)), "gpu-1")};
  known.facts.events = std::vector<Json>{event(bert, "SuccessfulCreate", "Created pod: bert-old"), preempted};
  const auto causes = job::causes_of(known.facts);
  REQUIRE(causes.size() == 2);
  CHECK(causes[1].summary == "pod bert-old on node gpu-1 was stopped for urgent");
  // The event belongs to another job.
  known.facts.events->at(1)["involvedObject"]["name"] = "gpt-old";
  CHECK(job::causes_of(known.facts).size() == 1);
}

TEST_CASE("why: the worst of several pods is reported first, then the others") {
  Json bert = make_job("bert");
  bert["spec"]["parallelism"] = 3;
  Known known(bert, {waiting(make_pod(bert, "0"), "ContainerCreating"),
                     waiting(make_pod(bert, "1"), "ErrImagePull", "not found"),
                     waiting(make_pod(bert, "2"), "ErrImagePull", "not found")});
  const auto causes = job::causes_of(known.facts);
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].code == CauseCode::image_missing);
  CHECK(causes[0].pods == 2);
  CHECK(causes[1].code == CauseCode::starting);
}

TEST_CASE("why: each way in which a job fails has its own cause, and kml suggests reading the log") {
  const auto failed = [](const std::string& reason, const Json& its, const std::string& message = "") {
    Json bert = with_condition(make_job("bert"), "Failed", reason, message);
    bert["spec"]["backoffLimit"] = 0;
    bert["spec"]["activeDeadlineSeconds"] = 90;
    bert["spec"]["maxFailedIndexes"] = 1;
    bert["status"]["failedIndexes"] = "3,7";
    return its.is_null() ? Known(bert).cause() : Known(bert, {its}).cause();
  };
  const Json its = make_pod(make_job("bert"));
  CHECK(failed("BackoffLimitExceeded", ended(its, 137, "OOMKilled")).code == CauseCode::out_of_memory);
  CHECK(failed("BackoffLimitExceeded", ended(its, 1)).summary ==
        "pod bert-0: exit code 1; no retries were requested");
  CHECK(failed("BackoffLimitExceeded", ended(its, 1)).remedies.at(0).command ==
        "kml logs bert --first-error");
  CHECK(failed("BackoffLimitExceeded", ended(its, 139)).brief == "exit code 139 (as after signal 11)");
  CHECK(failed("BackoffLimitExceeded", ended(its, 128, "StartError", "no such file")).code ==
        CauseCode::command_cannot_run);
  CHECK(failed("BackoffLimitExceeded", nullptr).code == CauseCode::retries_used_up);
  CHECK(failed("DeadlineExceeded", its).summary == "its time limit of 90s was reached");
  CHECK(failed("PodFailurePolicy", ended(its, 42),
               "Container main failed with exit code 42 matching FailJob rule at index 0")
            .code == CauseCode::policy_rule);
  CHECK(failed("MaxFailedIndexesExceeded", its).code == CauseCode::too_many_indexes_failed);
  CHECK(failed("FailedIndexes", its).summary == "tasks 3,7 failed");
  CHECK(failed("Strange", nullptr, "as it says").summary == "it failed: as it says");
}

TEST_CASE("why: jobs that are stopping, running, suspended or finished are reported as such") {
  const Json bert = make_job("bert");
  CHECK(Known(with_condition(bert, "FailureTarget", "BackoffLimitExceeded")).cause().code ==
        CauseCode::failing);
  CHECK(Known(with_condition(bert, "SuccessCriteriaMet", "SuccessPolicy")).cause().code ==
        CauseCode::finishing);
  CHECK(Known(with_condition(bert, "Complete", "")).cause().code == CauseCode::succeeded);
  CHECK(Known(bert, {on_node(make_pod(bert), "gpu-1")}).cause().code == CauseCode::running);
  Json paused = bert;
  paused["spec"]["suspend"] = true;
  CHECK(Known(paused).cause().code == CauseCode::suspended);
  CHECK(Known(paused).cause().remedies.at(0).command == "kml resume bert");
  Json retried = bert;
  CHECK(Known(retried, {ended(make_pod(bert), 1)}).cause().code == CauseCode::backoff);
}

TEST_CASE("why: after a failed attempt, the time of the next one is reported, if one follows") {
  Json bert = make_job("bert");
  bert["spec"]["backoffLimit"] = 2;
  const auto failed_at = [&](const std::string& suffix, const std::string& time) {
    Json its = ended(make_pod(bert, suffix), 1);
    its["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"] = time;
    return its;
  };
  const Json first = failed_at("0", "2026-01-01T01:59:00Z"), second = failed_at("1", "2026-01-01T01:59:57Z");
  CHECK(Known(bert, {second}).cause().brief == "next attempt in about 7s: exit code 1");
  CHECK(Known(bert, {first, second}).cause().brief == "next attempt in about 17s: exit code 1");
  CHECK(Known(bert, {first}).cause().brief == "next attempt soon: exit code 1");
  // A table requests the text when it prints, and its view may be out of date by then.
  const Json* const pods[] = {&first, &second};
  const job::JobView view = job::view_of_job(bert, pods);
  CHECK(view.cause_at(*parse_rfc3339("2026-01-01T02:00:00Z")) == "next attempt in about 17s: exit code 1");
  CHECK(view.cause_at(*parse_rfc3339("2026-01-01T02:00:16Z")) == "next attempt in about 1s: exit code 1");
  CHECK(view.cause_at(*parse_rfc3339("2026-01-01T02:01:00Z")) == "next attempt soon: exit code 1");
  bert["spec"]["backoffLimit"] = 0;
  bert["status"]["failed"] = 1;
  CHECK(Known(bert, {second}).cause().code == CauseCode::failing);
}

TEST_CASE(
    "why: a task without retries is not retried, and the delay before a retry is counted for each task") {
  Json array = make_job("seeds");
  array["spec"].update({{"backoffLimit", 2147483647}, {"backoffLimitPerIndex", 0}});
  const auto failed = [&](const std::string& index, const std::string& suffix) {
    Json its = ended(make_pod(array, index + "-" + suffix), 1);
    its["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"] = "2026-01-01T01:59:57Z";
    return its;
  };
  CHECK(Known(array, {failed("0", "a"), failed("3", "b")}).cause().code == CauseCode::failing);
  array["spec"]["backoffLimitPerIndex"] = 1;
  CHECK(Known(array, {failed("0", "a"), failed("3", "b")}).cause().brief ==
        "next attempt in about 7s: exit code 1");
  CHECK(Known(array, {failed("3", "a"), failed("3", "b")}).cause().code == CauseCode::failing);
}

TEST_CASE(
    "why: the number of retries is given in words, and kml does not say that a trial or a step has no "
    "retries") {
  struct Row {
    const char* label;
    int retries;
    const char* end;
  };
  for (const Row& row : std::vector<Row>{{"", 0, "exit code 1; no retries were requested"},
                                         {"", 1, "exit code 1; its only retry is used up"},
                                         {"", 2, "exit code 1; all 2 retries are used up"},
                                         {"kml.dev/run", 0, "exit code 1"},
                                         {"kml.dev/sweep", 0, "exit code 1"}}) {
    Json bert = with_condition(make_job("bert"), "Failed", "BackoffLimitExceeded");
    bert["spec"]["backoffLimit"] = row.retries;
    if (*row.label) bert["metadata"]["labels"][row.label] = "r1";
    const std::string summary = Known(bert, {ended(make_pod(bert), 1)}).cause().summary;
    CHECK_MESSAGE(summary.ends_with(row.end), summary);
  }
}

TEST_CASE("why: PyTorchJobs that restart, fail, or lack an operator are explained") {
  Json bert =
      parse_json(R"({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "bert",
    "namespace": "lab", "uid": "job-uid", "creationTimestamp": "2026-01-01T00:00:00Z"},
    "spec": {"pytorchReplicaSpecs": {"Master": {"template": {"spec": {"containers": []}}}}}})",
                 "job");
  Known unseen(bert);
  CHECK(unseen.cause().code == CauseCode::controller_missing);
  // kml does not know whether the operator runs, so it only calls it possible that none is running.
  CHECK(unseen.cause().summary.starts_with("the Kubeflow training operator has not picked it up in "));
  CHECK(unseen.cause().summary.ends_with("possibly it is not running, or not for this namespace"));
  CHECK(Known(with_condition(bert, "Restarting", "PyTorchJobRestarting")).cause().code ==
        CauseCode::restarting);
  CHECK(Known(with_condition(bert, "Failed", "PyTorchJobFailed", "Worker failed")).cause().summary ==
        "it failed: Worker failed");
  CHECK(Known(with_condition(bert, "Running", "PyTorchJobRunning")).cause().code == CauseCode::running);
}

TEST_CASE("why: a log that never existed is not suggested") {
  Json bert = with_condition(make_job("bert"), "Failed", "BackoffLimitExceeded");
  bert["spec"]["backoffLimit"] = 0;
  const auto ended_by_node = [&](const std::string& reason, const std::string& message,
                                 const std::string& target = "") {
    Json its = on_node(make_pod(bert), "n1", "Failed");
    its["status"].update({{"reason", reason}, {"message", message}});
    return target.empty() ? its : with_condition(its, "DisruptionTarget", target);
  };
  struct Case {
    Json pod;
    CauseCode code;
    const char* says;
  };
  for (const Case& one : std::vector<Case>{
           {ended_by_node("UnexpectedAdmissionError", "Allocate failed due to no healthy devices present"),
            CauseCode::pod_rejected, "no healthy devices"},
           {ended_by_node("OutOfnvidia.com/gpu", "Node didn't have enough resource"), CauseCode::pod_rejected,
            "enough resource"},
           {ended_by_node("NodeAffinity", "Pod was rejected"), CauseCode::pod_rejected,
            "rejected pod bert-0"},
           {ended_by_node("Evicted", "The node was low on resource: ephemeral-storage.",
                          "TerminationByKubelet"),
            CauseCode::evicted, "low on resource: ephemeral-storage"},
           {ended_by_node("Evicted", "Pod ephemeral local storage usage exceeds the total limit"),
            CauseCode::evicted, "exceeds"},
           {ended(make_pod(bert), 128, "StartError", "no such file"), CauseCode::command_cannot_run,
            "no such file"}}) {
    const job::Cause cause = Known(bert, {one.pod}).cause();
    CAPTURE(cause.summary);
    CHECK(cause.code == one.code);
    CHECK(cause.summary.find(one.says) != std::string::npos);
    for (const job::Remedy& remedy : cause.remedies) CHECK(!remedy.command.starts_with("kml logs"));
  }
  CHECK(Known(bert, {ended(make_pod(bert), 1)}).cause().remedies.at(0).command ==
        "kml logs bert --first-error");
}

TEST_CASE("why: in a gang, the pod that failed is reported, not those that were stopped with it") {
  Json gang = with_condition(make_job("gang"), "Failed", "BackoffLimitExceeded");
  gang["spec"].update({{"backoffLimit", 0}, {"parallelism", 3}, {"completions", 3}});
  Json stopped = ended(make_pod(gang, "0"), 143);
  stopped["status"]["reason"] = "BackoffLimitExceeded";
  const Json signalled = ended(make_pod(gang, "1"), 143), culprit = ended(make_pod(gang, "2"), 1);
  const job::Cause cause = Known(gang, {stopped, signalled, culprit}).cause();
  CHECK(cause.code == CauseCode::exit_code);
  CHECK(cause.summary == "pod gang-2: exit code 1; no retries were requested");
  CHECK(job::view_of_pod(stopped).cause == "stopped with its job");
}

TEST_CASE("why: without retries, no retry is announced, even before the controller has counted the failure") {
  Json bert = make_job("bert");
  bert["spec"]["backoffLimit"] = 0;
  CHECK(Known(bert, {ended(make_pod(bert), 1)}).cause().code == CauseCode::failing);
  Json set = {{"apiVersion", "jobset.x-k8s.io/v1alpha2"},
              {"kind", "JobSet"},
              {"metadata", bert["metadata"]},
              {"spec", {{"replicatedJobs", Json::array()}}},
              {"status", {{"restarts", 0}}}};
  Json its = ended(make_pod(bert), 1);
  CHECK(Known(set, {its}).cause().code == CauseCode::failing);
  set["spec"]["failurePolicy"]["maxRestarts"] = 2;
  CHECK(Known(set, {its}).cause().code == CauseCode::backoff);
}

TEST_CASE("why: if a pod is still stopping long after its grace period, what blocks it is named") {
  const Json bert = make_job("bert");
  Json leaving = on_node(make_pod(bert), "n1");
  leaving["metadata"].update(
      {{"deletionTimestamp", "2026-01-01T01:59:50Z"}, {"finalizers", {"example.com/guard"}}});
  CHECK(Known(bert, {leaving}).cause().code == CauseCode::stopping);
  leaving["metadata"]["deletionTimestamp"] = "2026-01-01T01:40:00Z";
  CHECK(Known(bert, {leaving}).cause().code == CauseCode::stopping_stuck);
  CHECK(Known(bert, {leaving}).cause().summary ==
        "pod bert-0 should have stopped 20m ago, but finalizer example.com/guard keeps it");
  leaving["status"]["containerStatuses"] =
      Json::array({{{"name", "main"}, {"state", {{"running", Json::object()}}}}});
  CHECK(Known(bert, {leaving}).cause().summary ==
        "pod bert-0 should have stopped 20m ago, but its node n1 has not stopped it");
}

}  // namespace pod_cause_test
