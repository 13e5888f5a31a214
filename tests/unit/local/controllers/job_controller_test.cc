#include <doctest/doctest.h>

#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "local/node_fixture.h"

namespace job_controller_test {

using namespace kml;
using namespace kml::local;

TEST_CASE_FIXTURE(NodeFixture, "job: runs its command to the end and is complete") {
  create_job("demo", "echo hello");
  REQUIRE(turn_until([&] { return finished("demo"); }));
  const Json done = job("demo");
  CHECK(api::condition_is_true(done, "Complete"));
  CHECK(api::condition_is_true(done, "SuccessCriteriaMet"));
  CHECK(done["status"]["succeeded"] == 1);
  CHECK(done["status"]["active"] == 0);
  CHECK(done["status"].contains("completionTime"));
  CHECK(pod()["status"]["phase"] == "Succeeded");
  CHECK(string_at(pod(), {"metadata", "labels", api::kJobName}) == "demo");
  CHECK(name_of(pod()).starts_with("demo-"));
  CHECK(output() == "hello\n");
  REQUIRE(turn_until([&] { return events("Completed").size() == 1 && events("AttemptEnded").size() == 1; }));
  const Json attempt = Json::parse(annotation_of(events("AttemptEnded")[0], api::kAttempt));
  CHECK(attempt["exitCode"] == 0);
  CHECK(attempt["pod"] == name_of(pod()));
  for (const char* reason : {"SuccessfulCreate", "Scheduled", "Started"}) CHECK(events(reason).size() == 1);
}

TEST_CASE_FIXTURE(NodeFixture, "job: the pod and the job show that a command does not exist") {
  create_job("typo", "", R"({"backoffLimit": 0, "template": {"spec": {"containers": [
    {"name": "main", "image": "any", "command": ["no-such-program"]}]}}})");
  REQUIRE(turn_until([&] { return finished("typo"); }));
  CHECK(failure_reason("typo") == "BackoffLimitExceeded");
  const Json terminated = pod()["status"]["containerStatuses"][0]["state"]["terminated"];
  CHECK(terminated["reason"] == "StartError");
  CHECK(terminated["message"] == "exec: \"no-such-program\": executable file not found in $PATH");
}

TEST_CASE_FIXTURE(NodeFixture, "job: failed pods are replaced until the backoff limit") {
  SUBCASE("all pods fail") {
    create_job("bad", "exit 1", R"({"backoffLimit": 2})");
    REQUIRE(turn_until([&] { return finished("bad"); }));
    CHECK(failure_reason("bad") == "BackoffLimitExceeded");
    CHECK(job("bad")["status"]["failed"] == 3);
    CHECK(pods().size() == 3);
  }
  SUBCASE("one pod succeeds") {
    create_job("bad", "echo x >> " + file("runs") + "; [ $(wc -l < " + file("runs") + ") = 3 ]");
    REQUIRE(turn_until([&] { return finished("bad"); }));
    CHECK(api::condition_is_true(job("bad"), "Complete"));
    CHECK(job("bad")["status"]["failed"] == 2);
  }
}

TEST_CASE_FIXTURE(NodeFixture, "job: podFailurePolicy decides by exit code") {
  const std::string rules = R"({"podFailurePolicy": {"rules": [
    {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}},
    {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [43]}}]}, "backoffLimit": 0})";
  SUBCASE("FailJob") {
    create_job("policy", "exit 42", rules);
    REQUIRE(turn_until([&] { return finished("policy"); }));
    CHECK(failure_reason("policy") == "PodFailurePolicy");
  }
  SUBCASE("Ignore") {
    create_job("policy", "echo x >> " + file("runs") + "; [ $(wc -l < " + file("runs") + ") = 2 ] || exit 43",
               rules);
    REQUIRE(turn_until([&] { return finished("policy"); }));
    CHECK(api::condition_is_true(job("policy"), "Complete"));
    CHECK(job("policy")["status"]["failed"] == 0);
  }
}

TEST_CASE_FIXTURE(NodeFixture, "job: Indexed gives each pod its index") {
  create_job("array", "echo index $JOB_COMPLETION_INDEX of $HOSTNAME >> " + file("out"),
             R"({"completionMode": "Indexed", "completions": 3, "parallelism": 2})");
  REQUIRE(turn_until([&] { return finished("array"); }));
  CHECK(job("array")["status"]["completedIndexes"] == "0-2");
  CHECK(job("array")["status"]["succeeded"] == 3);
  const std::string text = content("out");
  for (int i = 0; i < 3; ++i)
    CHECK(text.find("index " + std::to_string(i) + " of array-" + std::to_string(i)) != std::string::npos);
}

TEST_CASE_FIXTURE(NodeFixture, "job: with backoffLimitPerIndex, indexes fail separately") {
  create_job("array", "[ $JOB_COMPLETION_INDEX != 1 ]",
             R"({"completionMode": "Indexed", "completions": 3, "parallelism": 3, "backoffLimitPerIndex": 1,
                 "backoffLimit": null})");
  REQUIRE(turn_until([&] { return finished("array"); }));
  CHECK(failure_reason("array") == "FailedIndexes");
  CHECK(job("array")["status"]["failedIndexes"] == "1");
  CHECK(job("array")["status"]["completedIndexes"] == "0,2");
  CHECK(job("array")["status"]["failed"] == 2);
}

TEST_CASE_FIXTURE(NodeFixture,
                  "job: with backoffLimitPerIndex, an index does not wait for the failures of others") {
  options.retry_delay = std::chrono::hours(1);
  crash_and_restart();
  create_job("retried", "exit $((JOB_COMPLETION_INDEX == 0))",
             R"({"completionMode": "Indexed", "completions": 4, "parallelism": 2, "backoffLimitPerIndex": 9,
                 "backoffLimit": null})");
  create_job("final", "exit $((JOB_COMPLETION_INDEX % 2))",
             R"({"completionMode": "Indexed", "completions": 6, "parallelism": 2, "backoffLimitPerIndex": 0,
                 "backoffLimit": null})");
  REQUIRE(turn_until([&] { return string_at(job("retried"), {"status", "completedIndexes"}) == "1-3"; }));
  CHECK(int_at(job("retried"), {"status", "failed"}) == 1);
  REQUIRE(turn_until([&] { return finished("final"); }));
  CHECK(job("final")["status"]["failedIndexes"] == "1,3,5");
}

TEST_CASE_FIXTURE(NodeFixture, "job: activeDeadlineSeconds stops the job") {
  SUBCASE("the job's deadline") {
    create_job("slow", "trap 'echo bye; exit 0' TERM; echo hi; while :; do sleep 0.01; done",
               R"({"activeDeadlineSeconds": 2})");
    REQUIRE(turn_until([&] { return finished("slow"); }));
    CHECK(failure_reason("slow") == "DeadlineExceeded");
    CHECK(pod()["status"]["reason"] == "DeadlineExceeded");
    CHECK(output() == "hi\nbye\n");
  }
  SUBCASE("the pod's deadline; its log stays") {
    create_job("slow", "trap 'echo bye; exit 1' TERM; echo hi; while :; do sleep 0.01; done",
               R"({"backoffLimit": 0})");
    REQUIRE(turn_until([&] { return output() == "hi\n"; }));
    server->store.modify(local::kinds::pod, "default", name_of(pod()),
                         [](Json& next) { next["spec"]["activeDeadlineSeconds"] = 1; });
    REQUIRE(turn_until([&] { return finished("slow"); }));
    CHECK(pod()["status"]["reason"] == "DeadlineExceeded");
    CHECK(output() == "hi\nbye\n");
  }
}

TEST_CASE_FIXTURE(NodeFixture,
                  "job: suspend stops its pods, which are not failures, and resume creates new ones") {
  create_job("pause", "trap 'exit 9' TERM; echo started >> " + file("out") + "; [ -e " + file("go") +
                          " ] && exit 0; while :; do sleep 0.01; done");
  REQUIRE(turn_until([&] { return content("out") == "started\n"; }));
  auto set_suspend = [&](bool value) {
    server->store.modify(local::kinds::job, "default", "pause",
                         [&](Json& next) { next["spec"]["suspend"] = value; });
  };
  set_suspend(true);
  REQUIRE(turn_until([&] { return api::condition_is_true(job("pause"), "Suspended") && pods().empty(); }));
  CHECK(int_at(job("pause"), {"status", "failed"}) == 0);
  CHECK(job("pause")["status"].contains("startTime"));
  write_file_atomically(file("go"), "");
  set_suspend(false);
  REQUIRE(turn_until([&] { return finished("pause"); }));
  CHECK(api::condition_is_true(job("pause"), "Complete"));
}

TEST_CASE_FIXTURE(NodeFixture, "job: ttlSecondsAfterFinished removes the job and its pods") {
  create_job("brief", "true", R"({"ttlSecondsAfterFinished": 0})");
  CHECK(turn_until([&] { return job("brief").empty() && pods().empty(); }));
}

TEST_CASE_FIXTURE(NodeFixture, "job: its pods have the template's labels, annotations and finalizers") {
  create_job("marked", "true", R"({"template": {"metadata": {"labels": {"l": "1"}, "annotations": {"a": "2"},
    "finalizers": ["example.com/copied"]}}})");
  REQUIRE(turn_until([&] { return finished("marked"); }));
  CHECK(string_at(pod(), {"metadata", "labels", "l"}) == "1");
  CHECK(string_at(pod(), {"metadata", "annotations", "a"}) == "2");
  CHECK(turn_until([&] { return api::finalizers_of(pod()) == Json::array({"example.com/copied"}); }));
}

TEST_CASE_FIXTURE(NodeFixture, "job: deleting a job stops its pods and removes them") {
  create_job("gone", "echo started > " + file("out") + "; sleep 1000");
  REQUIRE(turn_until([&] { return content("out") == "started\n"; }));
  server->store.remove(local::kinds::job, "default", "gone");
  CHECK(turn_until([&] { return pods().empty(); }));
  CHECK(turn_until([&] { return std::filesystem::is_empty(folder.path() / "pods"); }));
}

TEST_CASE_FIXTURE(NodeFixture, "job: foreground deletion removes the pods first") {
  create_job("gone", "echo started > " + file("out") + "; sleep 1000");
  REQUIRE(turn_until([&] { return content("out") == "started\n"; }));
  server->store.modify(local::kinds::job, "default", "gone", [](Json& next) {
    next["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    next["metadata"]["finalizers"] = {"foregroundDeletion"};
  });
  REQUIRE(turn_until([&] { return job("gone").empty(); }));
  CHECK(pods().empty());
}

TEST_CASE_FIXTURE(
    NodeFixture,
    "job: keeps as many pods as parallelism says; in a work queue, no pod starts after the first success") {
  create_job("queue",
             "mkdir " + file("first") + " 2>/dev/null && exit 0; while [ ! -e " + file("go") +
                 " ]; do sleep 0.01; done",
             R"({"completions": null, "parallelism": 3})");
  REQUIRE(turn_until([&] { return int_at(job("queue"), {"status", "succeeded"}) == 1; }));
  write_file_atomically(file("go"), "");
  REQUIRE(turn_until([&] { return finished("queue"); }));
  CHECK(job("queue")["status"]["succeeded"] == 3);
  CHECK(pods().size() == 3);
}

}  // namespace job_controller_test
