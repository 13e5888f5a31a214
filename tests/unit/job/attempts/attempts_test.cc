#include "kml/job/attempts/attempts.h"

#include <doctest/doctest.h>

#include <array>
#include <set>

#include "kml/kube/objects/labels.h"
#include "support/fake_transport.h"
#include "support/owner.h"
#include "support/temporary_folder.h"

namespace attempts_test {

using namespace kml;
using namespace kml::job;

namespace {

const std::string kEvents = "/api/v1/namespaces/lab/events", kPods = "/api/v1/namespaces/lab/pods";

Json list(const char* kind, const Json& items) {
  return {{"kind", kind}, {"metadata", {{"resourceVersion", "9"}}}, {"items", items}};
}

struct Fixture {
  TemporaryFolder folder;
  Submissions records{folder.path() / "runs.jsonl"};
  FakeTransport transport;
  kube::Client client{transport};
  Json job = {{"apiVersion", "batch/v1"},
              {"kind", "Job"},
              {"metadata",
               {{"name", "bert"},
                {"namespace", "lab"},
                {"uid", "j1"},
                {"creationTimestamp", "2026-08-01T09:00:00Z"}}}};
  Json pod = {{"metadata",
               {{"name", "bert-b"},
                {"namespace", "lab"},
                {"uid", "p2"},
                {"ownerReferences", controlled_by("bert", "j1")}}},
              {"spec", {{"nodeName", "n1"}, {"containers", {{{"name", "main"}}}}}},
              {"status", {{"phase", "Running"}, {"startTime", "2026-08-01T10:00:00Z"}}}};

  /// Stubs the responses for attempts_of(), in the order of its requests.
  void answer(const std::string& log, const Json& made, const Json& preempted,
              const Json& of_deleted = Json::array()) {
    // only the embedded server has such events
    transport.answer("GET", kEvents, list("EventList", Json::array()));
    transport.answer("GET", kPods, list("PodList", Json::array({pod})));
    transport.stub("GET", kPods + "/bert-b/log?container=main&limitBytes=65536", {.pieces = {log}});
    transport.answer("GET", kEvents, list("EventList", made));
    if (!made.empty()) transport.answer("GET", kEvents, list("EventList", of_deleted));
    transport.answer("GET", kEvents, list("EventList", preempted));
  }
};

const std::string kLog =
    "kml-attempt: "
    "{\"attempt\":1,\"pod\":\"bert-a\",\"node\":\"n1\",\"start\":\"2026-08-01T09:00:01Z\",\"first_step\":0,"
    "\"end\":\"2026-08-01T09:30:00Z\",\"last_step\":639,\"reason\":\"SIGTERM\"}\n"
    "kml-attempt: "
    "{\"attempt\":2,\"pod\":\"bert-b\",\"node\":\"n1\",\"start\":\"2026-08-01T10:00:02Z\",\"first_step\":640}"
    "\n";

Json preempted_event() {
  return {{"involvedObject", {{"kind", "Pod"}, {"name", "bert-a"}, {"uid", "p1"}}},
          {"reason", "Preempted"},
          {"eventTime", "2026-08-01T09:29:58.123456Z"},
          {"related", {{"kind", "Pod"}, {"namespace", "lab"}, {"name", "gpt-x"}, {"uid", "g1"}}}};
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "attempts: a day later, the current pod's log still shows the earlier pods") {
  answer(kLog, Json::array(), Json::array());
  const std::vector<Attempt> attempts = attempts_of(client, job, records);
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[0].pod == "bert-a");
  CHECK(attempts[0].last_step == 639);
  CHECK(attempts[0].result == "stopped by SIGTERM from an unknown sender");
  CHECK(attempts[1].first_step == 640);
  CHECK(attempts[1].result == "Running");
}

TEST_CASE_FIXTURE(Fixture,
                  "attempts: the scheduler's event is recorded, and still known when it has expired") {
  answer(kLog, Json::array(), Json::array({preempted_event()}));
  const Json preemptor = {
      {"metadata", {{"name", "gpt-x"}, {"uid", "g1"}, {"ownerReferences", controlled_by("gpt", "g")}}}};
  transport.answer("GET", kPods + "/gpt-x", preemptor);
  CHECK(attempts_of(client, job, records)[0].result == "preempted by gpt");

  answer(kLog, Json::array(), Json::array());
  const Attempt first = attempts_of(client, job, records)[0];
  CHECK(first.result == "preempted by gpt");
  CHECK(first.preempted_by == "gpt");
  CHECK(first.last_step == 639);
}

TEST_CASE_FIXTURE(Fixture, "attempts: an event of Kubernetes 1.36 and later has only the preemptor's UID") {
  Json event = preempted_event();
  event.erase("related");
  event["message"] = "Preempted by pod g1 on node n1";
  const Json gpt = {{"metadata",
                     {{"name", "gpt-x"},
                      {"namespace", "lab"},
                      {"uid", "g1"},
                      {"ownerReferences", controlled_by("gpt", "g")}}}};
  const std::string pods = "/api/v1/pods?fieldSelector=", limit = "&limit=500";
  answer(kLog, Json::array(), Json::array({event}));
  SUBCASE("the preemptor runs on the node") {
    transport.answer("GET", pods + "spec.nodeName%3Dn1" + limit, list("PodList", Json::array({pod, gpt})));
    CHECK(attempts_of(client, job, records)[0].result == "preempted by gpt");
  }
  SUBCASE("the preemptor waits for the node") {
    transport.answer("GET", pods + "spec.nodeName%3Dn1" + limit, list("PodList", Json::array({pod})));
    transport.answer("GET", pods + "status.nominatedNodeName%3Dn1" + limit,
                     list("PodList", Json::array({gpt})));
    CHECK(attempts_of(client, job, records)[0].result == "preempted by gpt");
  }
  SUBCASE("the preemptor no longer exists") {
    transport.answer("GET", pods + "spec.nodeName%3Dn1" + limit, list("PodList", Json::array({pod})));
    transport.answer("GET", pods + "status.nominatedNodeName%3Dn1" + limit, list("PodList", Json::array()));
    CHECK(attempts_of(client, job, records)[0].result == "preempted by an unknown job");
  }
}

TEST_CASE_FIXTURE(Fixture, "attempts: if a program reports no attempts, events show them") {
  answer("Epoch 1\n", Json::array({{{"message", "Created pod: bert-a"}}}), Json::array({preempted_event()}));
  SUBCASE("the preemptor's pod no longer exists, and the name of its job is unknown") {
    transport.answer("GET", kPods + "/gpt-x", {{"kind", "Status"}, {"reason", "NotFound"}, {"code", 404}},
                     404);
    const std::vector<Attempt> attempts = attempts_of(client, job, records);
    REQUIRE(attempts.size() == 2);
    CHECK(attempts[0].result == "preempted by pod gpt-x");
  }
  SUBCASE("another pod now has the preemptor's name") {
    transport.answer(
        "GET", kPods + "/gpt-x",
        {{"metadata", {{"name", "gpt-x"}, {"uid", "g2"}, {"ownerReferences", controlled_by("other", "o")}}}});
    CHECK(attempts_of(client, job, records)[0].result == "preempted by pod gpt-x");
  }
}

TEST_CASE_FIXTURE(Fixture, "attempts: a deleted pod is known from its events, if it has started") {
  const auto event = [](const char* reason, const char* time) {
    return Json{{"involvedObject", {{"kind", "Pod"}, {"name", "bert-a"}, {"uid", "p1"}}},
                {"reason", reason},
                {"source", {{"host", "n1"}}},
                {"lastTimestamp", time}};
  };
  const Json made = Json::array({{{"message", "Created pod: bert-a"}}});
  const Json started = event("Started", "2026-08-01T09:00:01Z"),
             killing = event("Killing", "2026-08-01T09:30:00Z");
  SUBCASE("a node was drained") {
    answer("Epoch 1\n", made, Json::array(), Json::array({started, killing}));
    const std::vector<Attempt> attempts = attempts_of(client, job, records);
    REQUIRE(attempts.size() == 2);
    CHECK(attempts[0].pod == "bert-a");
    CHECK(attempts[0].node == "n1");
    CHECK(rfc3339(*attempts[0].start) == "2026-08-01T09:00:01Z");
    CHECK(rfc3339(*attempts[0].end) == "2026-08-01T09:30:00Z");
    CHECK(attempts[0].result == "its pod was deleted");
    CHECK(attempts[1].pod == "bert-b");
  }
  SUBCASE("a preemption explains the end") {
    answer("Epoch 1\n", made, Json::array({preempted_event()}), Json::array({started, killing}));
    transport.answer("GET", kPods + "/gpt-x", {{"kind", "Status"}, {"reason", "NotFound"}, {"code", 404}},
                     404);
    const std::vector<Attempt> attempts = attempts_of(client, job, records);
    REQUIRE(attempts.size() == 2);
    CHECK(rfc3339(*attempts[0].start) == "2026-08-01T09:00:01Z");
    CHECK(attempts[0].result == "preempted by pod gpt-x");
  }
  SUBCASE("the pod never started") {
    answer("Epoch 1\n", made, Json::array(), Json::array({killing}));
    CHECK(attempts_of(client, job, records).size() == 1);
  }
}

TEST_CASE_FIXTURE(Fixture, "attempts: events of other jobs' pods are ignored") {
  answer("", Json::array({{{"message", "Created pod: bert-c"}}}), Json::array({preempted_event()}));
  CHECK(attempts_of(client, job, records).size() == 1);
}

TEST_CASE_FIXTURE(
    Fixture,
    "attempts: an attempt that a suspension ended is cancelled only if the job was cancelled by then") {
  job["metadata"]["annotations"] = {{"kml.dev/cancelled", "2026-08-01T10:00:00Z"}};
  job["spec"] = {{"suspend", true}};
  auto suspended = [](const char* name, const char* end) {
    const Json attempt = {{"pod", name}, {"uid", name}, {"end", end}, {"reason", "Suspended"}};
    return Json{{"reason", "AttemptEnded"},
                {"involvedObject", {{"uid", "j1"}}},
                {"metadata", {{"annotations", {{"kml.dev/attempt", attempt.dump()}}}}}};
  };
  const Json before = suspended("bert-a", "2026-08-01T09:30:00Z");
  const Json with_it = suspended("bert-b", "2026-08-01T10:00:00Z");
  const std::vector<Attempt> attempts = attempts_in(job, {}, std::array{&before, &with_it}, {}, {});
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[0].result == "Suspended");
  CHECK(attempts[1].result == "cancelled");
}

TEST_CASE_FIXTURE(Fixture, "attempts: results are worded as in the other commands") {
  for (const auto& [reason, result] :
       std::vector<std::pair<std::string, std::string>>{{"BackoffLimitExceeded", "stopped with its job"},
                                                        {"MaxFailedIndexesExceeded", "stopped with its job"},
                                                        {"FailedIndexes", "stopped with its job"},
                                                        {"PodFailurePolicy", "stopped with its job"},
                                                        {"DeadlineExceeded", "time limit reached"},
                                                        {"Completed", "Succeeded"},
                                                        {"Cancelled", "cancelled"},
                                                        {"Error", "exit code 1"}}) {
    CAPTURE(reason);
    const Json attempt = {{"pod", "bert-a"}, {"uid", "a"}, {"exitCode", 1}, {"reason", reason}};
    const Json ended = {{"reason", "AttemptEnded"},
                        {"involvedObject", {{"uid", "j1"}}},
                        {"metadata", {{"annotations", {{"kml.dev/attempt", attempt.dump()}}}}}};
    CHECK(attempts_in(job, {}, std::array{&ended}, {}, {}).at(0).result == result);
  }
}

TEST_CASE(
    "attempts: a replica's index is the same in its pod and in the event that is left when the pod is "
    "deleted") {
  const Json job = {{"kind", "PyTorchJob"}, {"metadata", {{"name", "bert"}, {"uid", "j1"}}}};
  const auto pod = [](const std::string& type, const std::string& index) {
    const Json labels = {{api::kReplicaType, type}, {api::kReplicaIndex, index}};
    return Json{{"metadata", {{"name", "bert-" + type + "-" + index}, {"labels", labels}}}};
  };
  const Json master = pod("master", "0"), worker = pod("worker", "1"),
             plain = {{"metadata", {{"name", "bert-12345"}, {"labels", {{"job-name", "bert"}}}}}};
  const Json ended = {
      {"reason", "AttemptEnded"},
      {"involvedObject", {{"uid", "j1"}}},
      {"metadata",
       {{"annotations",
         {{api::kAttempt, R"({"pod": "bert-worker-0", "uid": "p", "index": 0, "reason": "Completed"})"}}}}}};
  const std::array<const Json*, 3> pods = {&master, &worker, &plain};
  const std::array<const Json*, 1> events = {&ended};
  std::set<std::string> indexes;
  for (const Attempt& attempt : attempts_in(job, pods, events, {}, {})) indexes.insert(attempt.index);
  CHECK(indexes == std::set<std::string>{"", "master-0", "worker-0", "worker-1"});
}

}  // namespace attempts_test
