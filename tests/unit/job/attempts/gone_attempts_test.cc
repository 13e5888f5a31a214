#include <doctest/doctest.h>

#include "kml/job/attempts/attempts.h"
#include "kml/kube/objects/labels.h"
#include "support/fake_transport.h"
#include "support/owner.h"
#include "support/temporary_folder.h"

namespace gone_attempts_test {

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
};

Json preempted_event() {
  return {{"involvedObject", {{"kind", "Pod"}, {"name", "bert-a"}, {"uid", "p1"}}},
          {"reason", "Preempted"},
          {"eventTime", "2026-08-01T09:29:58.123456Z"},
          {"related", {{"kind", "Pod"}, {"namespace", "lab"}, {"name", "gpt-x"}, {"uid", "g1"}}}};
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "attempts: events show how long pods ran that no longer exist") {
  const auto event = [](const char* reason, const char* time) {
    return Json{{"reason", reason}, {"lastTimestamp", time}};
  };
  const Json started = event("Started", "2026-08-01T09:00:01Z"),
             killing = event("Killing", "2026-08-01T09:30:00Z");
  struct Row {
    const char* what;
    Json events;
    std::chrono::seconds ran;
  };
  for (const Row& row : {Row{"it ran", {started, killing}, std::chrono::seconds(1799)},
                         Row{"it never started", {killing}, std::chrono::seconds(0)},
                         Row{"its end is unknown", {started}, std::chrono::seconds(0)}}) {
    CAPTURE(std::string(row.what));
    transport.answer("GET", kEvents,
                     list("EventList", Json::array()));  // only the embedded server has such events
    transport.answer("GET", kEvents, list("EventList", Json::array({{{"message", "Created pod: bert-a"}}})));
    transport.answer("GET", kEvents, list("EventList", row.events));
    const GoneRun run = run_of_gone_pods(client, job);
    CHECK(run.ran == row.ran);
    CHECK(run.started.has_value() == (row.ran.count() > 0));
  }
}

TEST_CASE_FIXTURE(Fixture, "attempts: Kueue's Workload shows how long the job was admitted") {
  job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "lq";
  const Json group = {{"preferredVersion", {{"version", "v1beta2"}}}};
  const Json workload = {{"metadata", {{"name", "w"}, {"ownerReferences", controlled_by("bert", "j1")}}},
                         {"status", {{"accumulatedPastExecutionTimeSeconds", 90}}}};
  for (int i = 0; i < 2; ++i) transport.answer("GET", kEvents, list("EventList", Json::array()));
  transport.answer("GET", "/apis/kueue.x-k8s.io", group);
  transport.answer("GET", "/apis/kueue.x-k8s.io/v1beta2/namespaces/lab/workloads",
                   list("WorkloadList", Json::array({workload})));
  CHECK(run_of_gone_pods(client, job).ran == std::chrono::seconds(90));
}

TEST_CASE_FIXTURE(
    Fixture, "attempts: a job that failed while it waited again shows when it ran before, if that is known") {
  job["spec"] = {{"parallelism", 1}, {"template", {{"spec", {{"containers", {{{"name", "main"}}}}}}}}};
  job["status"] = {{"startTime", "2026-08-01T09:00:00Z"},
                   {"conditions", Json::array({{{"type", "Failed"},
                                                {"status", "True"},
                                                {"reason", "DeadlineExceeded"},
                                                {"lastTransitionTime", "2026-08-01T10:00:00Z"}}})}};
  const Json created = list("EventList", Json::array({{{"message", "Created pod: bert-a"}}}));
  const Json started = {{"reason", "Started"}, {"lastTimestamp", "2026-08-01T09:00:01Z"}},
             killing = {{"reason", "Killing"}, {"lastTimestamp", "2026-08-01T09:30:01Z"}};
  struct Row {
    const char* what;
    Json events;  ///< about its only pod; null: the cluster does not let the user read events
    bool has_run;
  };
  for (const Row& row :
       {Row{"it was preempted before", {started, killing}, true},
        Row{"it never started", Json::array(), false}, Row{"the user may not read events", nullptr, false}}) {
    CAPTURE(row.what);
    const Json refused = {{"kind", "Status"}, {"reason", "Forbidden"}, {"code", 403}};
    if (row.events.is_null()) {
      transport.answer("GET", kEvents, refused, 403);
    } else {
      transport.answer("GET", kEvents, list("EventList", Json::array()));
      transport.answer("GET", kEvents, created);
      transport.answer("GET", kEvents, list("EventList", row.events));
    }
    JobView view = basic_view_of_job(job);
    REQUIRE(may_have_run_before(view));
    add_earlier_run(client, job, view);
    CHECK(view.started == (row.has_run ? parse_rfc3339("2026-08-01T09:00:01Z") : std::nullopt));
    CHECK(view.ran == (row.has_run ? std::optional<nanoseconds>(std::chrono::minutes(30)) : std::nullopt));
    CHECK(may_have_run_before(view) != row.has_run);
  }
}

TEST_CASE_FIXTURE(Fixture,
                  "attempts: the disruptions of a job that will be deleted are recorded with their starts") {
  const auto event = [](const char* reason, const char* time) {
    return Json{{"involvedObject", {{"kind", "Pod"}, {"name", "bert-a"}, {"uid", "p1"}}},
                {"reason", reason},
                {"lastTimestamp", time}};
  };
  job["metadata"]["labels"][std::string(api::kSubmitId)] = "s1";
  transport.answer("GET", kEvents, list("EventList", Json::array()));
  transport.answer("GET", kPods, list("PodList", Json::array({pod})));
  transport.answer("GET", kEvents, list("EventList", Json::array({{{"message", "Created pod: bert-a"}}})));
  transport.answer("GET", kEvents,
                   list("EventList", {event("Started", "2026-08-01T09:00:01Z"),
                                      event("Killing", "2026-08-01T09:30:00Z")}));
  transport.answer("GET", kEvents, list("EventList", Json::array({preempted_event()})));
  transport.answer("GET", kPods + "/gpt-x", {{"kind", "Status"}, {"reason", "NotFound"}, {"code", 404}}, 404);
  record_disruptions(client, job, records);
  const std::vector<Attempt> attempts = attempts_on_record(records, "s1", "Job/bert");
  REQUIRE(attempts.size() == 1);
  CHECK(attempts[0].start == parse_rfc3339("2026-08-01T09:00:01Z"));
  CHECK(attempts[0].result == "preempted by pod gpt-x");
}

namespace {

/// An event about a pod.
Json of_pod(const char* name, const char* uid, const char* reason, const char* time) {
  return {{"involvedObject", {{"kind", "Pod"}, {"name", name}, {"uid", uid}}},
          {"reason", reason},
          {"lastTimestamp", time}};
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "attempts: a pod that was made again with the same name is another attempt") {
  job["apiVersion"] = "kubeflow.org/v1";
  job["kind"] = "PyTorchJob";
  pod["metadata"].update(
      {{"name", "bert-worker-0"},
       {"labels",
        {{"training.kubeflow.org/replica-type", "worker"}, {"training.kubeflow.org/replica-index", "0"}}},
       {"ownerReferences", controlled_by("bert", "j1", "kubeflow.org/v1", "PyTorchJob")}});
  transport.answer("GET", kEvents, list("EventList", Json::array()));
  transport.answer("GET", kPods, list("PodList", Json::array({pod})));
  transport.stub("GET", kPods + "/bert-worker-0/log", {.pieces = {"Epoch 1\n"}});
  transport.answer("GET", kEvents,
                   list("EventList", Json::array({{{"reason", "SuccessfulCreatePod"},
                                                   {"message", "Created pod: bert-worker-0"},
                                                   {"count", 2}}})));
  transport.answer("GET", kEvents,
                   list("EventList", {of_pod("bert-worker-0", "p1", "Started", "2026-08-01T09:00:01Z"),
                                      of_pod("bert-worker-0", "p1", "Killing", "2026-08-01T09:30:00Z"),
                                      of_pod("bert-worker-0", "p2", "Started", "2026-08-01T10:00:00Z")}));
  transport.answer("GET", kEvents, list("EventList", Json::array()));  // preemptions
  const std::vector<Attempt> attempts = attempts_of(client, job, records);
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[0].uid == "p1");
  CHECK(attempts[0].end == parse_rfc3339("2026-08-01T09:30:00Z"));
  CHECK(attempts[1].uid == "p2");
  CHECK(attempts[0].index == attempts[1].index);
}

TEST_CASE_FIXTURE(Fixture,
                  "attempts: the pods of a JobSet that was restarted are known from its Jobs' events") {
  job["apiVersion"] = "jobset.x-k8s.io/v1alpha2";
  job["kind"] = "JobSet";
  const Json inner = {
      {"metadata",
       {{"name", "bert-node-0"},
        {"namespace", "lab"},
        {"uid", "i2"},
        {"ownerReferences", controlled_by("bert", "j1", "jobset.x-k8s.io/v1alpha2", "JobSet")}}}};
  const auto created = [](const char* by, const char* made, const char* time) {
    return Json{{"involvedObject", {{"kind", "Job"}, {"name", by}, {"uid", "i1"}}},
                {"reason", "SuccessfulCreate"},
                {"message", std::string("Created pod: ") + made},
                {"lastTimestamp", time}};
  };
  transport.answer("GET", kEvents, list("EventList", Json::array()));
  transport.answer("GET", kPods, list("PodList", Json::array()));
  transport.answer("GET", kEvents, list("EventList", Json::array()));
  transport.answer("GET", "/apis/batch/v1/namespaces/lab/jobs", list("JobList", Json::array({inner})));
  transport.answer("GET", kEvents,
                   list("EventList", {created("bert-node-0", "bert-node-0-0-x7f2q", "2026-08-01T09:00:00Z"),
                                      created("bert-node-0", "bert-node-0-0-zzzzz", "2026-07-01T09:00:00Z"),
                                      created("bert-other", "bert-other-0-x7f2q", "2026-08-01T09:00:00Z")}));
  transport.answer(
      "GET", kEvents,
      list("EventList", {of_pod("bert-node-0-0-x7f2q", "p1", "Started", "2026-08-01T09:00:01Z"),
                         of_pod("bert-node-0-0-x7f2q", "p1", "Killing", "2026-08-01T09:30:00Z")}));
  transport.answer("GET", kEvents, list("EventList", Json::array()));  // preemptions
  const std::vector<Attempt> attempts = attempts_of(client, job, records);
  REQUIRE(attempts.size() == 1);
  CHECK(attempts[0].pod == "bert-node-0-0-x7f2q");
  CHECK(attempts[0].index == "node-0-0");
  CHECK(attempts[0].result == "its pod was deleted");
}

TEST_CASE_FIXTURE(Fixture,
                  "attempts: an MPIJob's deleted workers are known, but not those of an earlier job") {
  job["apiVersion"] = "kubeflow.org/v2beta1";
  job["kind"] = "MPIJob";
  job["spec"] = {{"mpiReplicaSpecs", {{"Worker", {{"replicas", 1}}}}}};
  const auto worker = [](const char* start, const char* end) {
    return list("EventList", {of_pod("bert-worker-0", "p1", "Started", start),
                              of_pod("bert-worker-0", "p1", "Killing", end)});
  };
  for (const auto& [events, ran] :
       {std::pair(worker("2026-08-01T09:00:01Z", "2026-08-01T09:30:00Z"), std::chrono::seconds(1799)),
        std::pair(worker("2026-08-01T08:00:00Z", "2026-08-01T08:30:00Z"), std::chrono::seconds(0))}) {
    transport.answer("GET", kEvents, list("EventList", Json::array()));
    transport.answer("GET", kEvents, list("EventList", Json::array()));
    transport.answer("GET", "/apis/batch/v1/namespaces/lab/jobs", list("JobList", Json::array()));
    transport.answer("GET", kEvents, events);
    CHECK(run_of_gone_pods(client, job).ran == ran);
  }
}

TEST_CASE_FIXTURE(Fixture, "attempts: of an MPIJob's workers, only the first 20 are looked up") {
  job["apiVersion"] = "kubeflow.org/v2beta1";
  job["kind"] = "MPIJob";
  job["spec"] = {{"mpiReplicaSpecs", {{"Worker", {{"replicas", 2'000'000'000}}}}}};
  constexpr int kOthers = 2, kWorkers = 20;
  for (int i = 0; i < kOthers + kWorkers; ++i)
    transport.answer("GET", kEvents, list("EventList", Json::array()));
  transport.answer("GET", "/apis/batch/v1/namespaces/lab/jobs", list("JobList", Json::array()));
  CHECK(run_of_gone_pods(client, job).ran.count() == 0);
}

TEST_CASE("attempts: restarts of which nothing is left are counted") {
  struct Row {
    const char* field;
    int restarts;
    size_t known;
    std::string said;
  };
  for (const Row& row :
       {Row{"restarts", 0, 1, ""}, Row{"restarts", 1, 2, ""},
        Row{"restarts", 1, 1,
            "its controller has restarted job bert once; of one earlier attempt, neither pods nor events "
            "exist"},
        Row{"retryCount", 3, 2,
            "its controller has restarted job bert 3 times; of 2 earlier attempts, neither pods nor events "
            "exist"},
        Row{"restarts", 2, 0,
            "its controller has restarted job bert 2 times; of 2 earlier attempts, neither pods nor events "
            "exist"}}) {
    CAPTURE(row.restarts);
    const Json job = {{"metadata", {{"name", "bert"}}}, {"status", {{row.field, row.restarts}}}};
    Attempt one;
    one.index = "node-0-0";
    const std::vector<Attempt> attempts(row.known, one);
    CHECK(unknown_attempts_in_words(job, attempts) == row.said);
  }
}

}  // namespace gone_attempts_test
