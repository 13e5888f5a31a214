#include <doctest/doctest.h>

#include "job/attempts/eviction.h"
#include "job/capacity/multikueue.h"
#include "job/why/causes.h"
#include "job/why/objects.h"
#include "kml/base/files.h"
#include "kml/job/capacity/workloads.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/object.h"
#include "support/fake_transport.h"

namespace queue_recorded_test {

using namespace kml;
using namespace kml::test;
using job::Outlook;

namespace {

/// The objects that the API server had at one moment.
struct Moment {
  explicit Moment(const std::string& file) {
    const std::string path = std::string(KML_SOURCE_DIR) + "/tests/recorded/kueue/" + file + ".json";
    items = parse_json(read_file(path), path)["items"].get<std::vector<Json>>();
  }
  const Json& get(const std::string& kind, const std::string& name) const {
    for (const Json& item : items)
      if (item["kind"] == kind && item["metadata"]["name"] == name) return item;
    static const Json kNone;
    return kNone;
  }
  std::vector<Json> all(const std::string& kind) const {
    std::vector<Json> found;
    for (const Json& item : items)
      if (item["kind"] == kind) found.push_back(item);
    return found;
  }
  job::Cause cause(const std::string& name, bool sees_all = true) const {
    const Json& job = get("Job", name);
    REQUIRE(!job.is_null());
    job::Facts facts{.job = job};
    facts.workloads = all("Workload");
    facts.sees_all_workloads = sees_all;
    facts.local_queues = all("LocalQueue");
    if (std::vector<Json> nodes = all("Node"); !nodes.empty()) facts.nodes = std::move(nodes);
    if (const Json& queue = get("LocalQueue", job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]);
        !queue.is_null()) {
      facts.local_queue = queue;
      if (const Json& behind = get("ClusterQueue", queue["spec"]["clusterQueue"]); !behind.is_null())
        facts.cluster_queue = behind;
    }
    return std::move(job::causes_of(facts)[0]);
  }

  std::vector<Json> items;
};

std::string commands(const job::Cause& cause) {
  std::string all;
  for (const job::Remedy& remedy : cause.remedies) all += in_words(remedy) + "\n";
  return all;
}

}  // namespace

TEST_CASE("why: each recorded answer of a real Kueue has its cause, an outlook, and a next step") {
  struct Case {
    const char *file, *job;
    CauseCode code;
    Outlook outlook;
    const char *summary, *remedy;
  };
  for (const Case& one : {
           Case{"0.17/inadmissible", "hold", CauseCode::queue_stopped, Outlook::waits,
                "its stopPolicy is Hold", "stopPolicy of LocalQueue lq-hold must be None"},
           Case{"0.17/inadmissible", "noflv", CauseCode::queue_stopped, Outlook::waits,
                "references missing ResourceFlavor(s): missing", "correct ClusterQueue cq-noflavor"},
           Case{"0.17/inadmissible", "cqstop", CauseCode::queue_stopped, Outlook::waits,
                "cq-stop is inactive", "stopPolicy of ClusterQueue cq-stop must be None"},
           Case{"0.17/inadmissible", "nocq", CauseCode::queue_missing, Outlook::never,
                "ClusterQueue cq-none doesn't exist", "kml list queues -n default"},
           Case{"0.17/inadmissible", "nssel", CauseCode::queue_namespace, Outlook::never,
                "never admits jobs of namespace default", "kml list queues -n default"},
           Case{"0.17/inadmissible", "uncov", CauseCode::queue_resource, Outlook::never,
                "requests cpu, for which queue lq-gpuonly has no quota", "leave out that request"},
           Case{"0.17/inadmissible", "chk", CauseCode::queue_check, Outlook::waits, "budget (Pending)", ""},
           Case{"0.17/hold-and-drain", "w1", CauseCode::queue_stopped, Outlook::waits, "",
                "ask its administrator"},
           Case{"0.17/deactivated-by-person", "w1", CauseCode::suspended, Outlook::never,
                "its Workload was deactivated", "kml resume w1"},
           Case{"0.17/deactivated-by-person", "w4", CauseCode::queue_too_large, Outlook::never,
                "asks for 10 GPUs, and queue two never has more than 8 GPUs of flavor spot",
                "at most 8 GPUs"},
           Case{"0.17/deactivated-by-person", "w5", CauseCode::queue_too_large, Outlook::never,
                "never has more than 12 GPUs of flavor kwok", "at most 12 GPUs"},
           Case{"0.17/pods-ready-gave-up", "pr", CauseCode::queue_gave_up, Outlook::never,
                "exceeding the maximum number of re-queuing retries", "kml resume pr"},
           Case{"0.17/pods-ready-timeout", "pr", CauseCode::queue_not_ready, Outlook::waits,
                "Kueue tries again", ""},
           Case{"0.17/topology", "t4", CauseCode::queue_topology, Outlook::never,
                "its 3 pods must be in one rack (cloud/rack), and even an empty one has room for at most 2",
                "kml submit --topology rack:preferred"},
           Case{"0.17/topology", "t5", CauseCode::queue_topology, Outlook::never, "has no topology level",
                "kml submit --topology LEVEL"},
           Case{"0.17/topology-2", "t4", CauseCode::queue_topology, Outlook::waits,  // its nodes are unknown
                "none has room for more than 2 of them now", ""},
           Case{"0.17/topology-2", "t8", CauseCode::queue_topology, Outlook::waits,
                "none has room for more than 1 of them now", "kml submit --topology rack:preferred"},
           Case{"0.17/topology-2", "t9", CauseCode::queue_topology, Outlook::waits,
                "have room for only 1 of 2 pods now", ""},
           Case{"0.19/waiting", "hold", CauseCode::queue_stopped, Outlook::waits, "its stopPolicy is Hold",
                "stopPolicy of LocalQueue hold must be None"},
           Case{"0.19/waiting", "stopped", CauseCode::queue_stopped, Outlook::waits, "",
                "stopPolicy of ClusterQueue record-stopped must be None"},
           Case{"0.19/waiting", "others", CauseCode::queue_namespace, Outlook::never,
                "never admits jobs of namespace record", ""},
           Case{"0.19/waiting", "nocpu", CauseCode::queue_resource, Outlook::never, "requests cpu", ""},
           Case{"0.19/waiting", "never", CauseCode::queue_too_large, Outlook::never,
                "never has more than 8 GPUs", ""},
           Case{"0.19/waiting", "waits", CauseCode::queue_quota, Outlook::waits,
                "needs 2 GPUs of flavor record more; 2 of 8 are free", "kml cancel runs"},
           Case{"0.19/waiting", "same", CauseCode::queue_pending, Outlook::waits, "number 3 of 4", ""},
           Case{"0.19/deactivated", "runs", CauseCode::suspended, Outlook::never,
                "its Workload was deactivated", "kml resume runs"},
       }) {
    CAPTURE(std::string(one.file));
    CAPTURE(std::string(one.job));
    const job::Cause cause = Moment(one.file).cause(one.job);
    CAPTURE(cause.summary);
    CAPTURE(commands(cause));
    CHECK(cause.code == one.code);
    CHECK(cause.outlook == one.outlook);
    CHECK(cause.summary.find(one.summary) != std::string::npos);
    CHECK(commands(cause).find(one.remedy) != std::string::npos);
  }
}

TEST_CASE(
    "why: kml names as few as possible of the jobs that hold a queue's quota, and among equal choices those "
    "that free the least") {
  const job::Cause cause = Moment("0.17/reclaimed-by-cohort").cause("a1");
  CHECK(cause.code == CauseCode::queue_preempted);
  REQUIRE(cause.remedies.size() == 1);
  CHECK(cause.remedies[0].command == "kml cancel a2");
}

TEST_CASE("why: free amounts and remedies are left out if the user may not read the workloads of others") {
  const job::Cause cause = Moment("0.17/reclaimed-by-cohort").cause("a1", false);
  CHECK(cause.summary.find("are free") == std::string::npos);
  CHECK(cause.remedies.empty());
}

TEST_CASE("why: no job is suggested for cancelling if other jobs would take the quota first") {
  Moment moment("0.17/reclaimed-by-cohort");
  Json other;
  for (Json& item : moment.items)
    if (item["kind"] == "Workload" && item["metadata"]["name"].get<std::string>().starts_with("job-a1-"))
      other = item;
  other["metadata"].update(
      {{"name", "job-b9"}, {"uid", "b9"}, {"creationTimestamp", "2020-01-01T00:00:00Z"}});
  other["metadata"]["ownerReferences"][0].update({{"name", "b9"}, {"uid", "b9-job"}});
  moment.items.push_back(other);
  CHECK(moment.cause("a1").remedies.empty());
  moment.items.back()["spec"]["active"] = false;
  CHECK(!moment.cause("a1").remedies.empty());
}

TEST_CASE("job_view: a job in a queue is suspended if its Workload is, and waits otherwise") {
  const Moment moment("0.17/deactivated-by-person");
  const job::Workloads workloads(moment.all("Workload"));
  const auto state = [&](const std::string& name) {
    const Json& job = moment.get("Job", name);
    return job::view_of_job(job, {}, workloads.of(job)).state;
  };
  CHECK(state("w1") == job::State::suspended);
  CHECK(state("w4") == job::State::waiting);
  CHECK(job::view_of_job(moment.get("Job", "w1")).state == job::State::waiting);
}

TEST_CASE("job_view: a job that Kueue has partly admitted shows its original request") {
  const Json job = Moment("0.17/partial-admission").get("Job", "partial");
  const Json workload = {{"spec", {{"podSets", {{{"count", 20}}}}}},
                         {"status", {{"admission", {{"podSetAssignments", {{{"count", 12}}}}}}}}};
  const job::JobView view = job::view_of_job(job, {}, &workload);
  CHECK(view.running == 12);
  CHECK(view.pods == 20);
  CHECK(view.cause == "Kueue admitted 12 of 20 pods");

  Json owned = workload;
  owned["metadata"]["ownerReferences"] = Json::array({{{"uid", job["metadata"]["uid"]}}});
  owned["status"]["conditions"] = {{{"type", "QuotaReserved"}, {"status", "True"}},
                                   {{"type", "Admitted"}, {"status", "True"}}};
  std::vector<Json> made(12, Json{{"status", {{"phase", "Running"}}}});
  std::vector<const Json*> pods;
  for (const Json& pod : made) pods.push_back(&pod);
  job::Facts facts{.job = job, .pods = pods};
  facts.workloads = std::vector<Json>{owned};
  const job::Cause cause = job::causes_of(facts)[0];
  CHECK(cause.summary.starts_with("runs: 12 of 20 pods"));
  CHECK(cause.summary.ends_with("Kueue admitted 12 of them, with less quota than the job requested"));
}

TEST_CASE("why: if Kueue runs a job in another cluster, that cluster is named") {
  Moment moment("0.19/waiting");
  for (Json& item : moment.items)
    if (item["kind"] == "Workload" && item["metadata"]["ownerReferences"][0]["name"] == "runs")
      item["status"]["clusterName"] = "west";
  const job::Cause cause = moment.cause("runs");
  CHECK(cause.code == CauseCode::running);
  CHECK(cause.outlook == Outlook::none);
  CHECK(cause.summary == "Kueue runs it in cluster west: its pods and their logs are there");
  CHECK(cause.remedies.empty());  // only the user's kubeconfig shows which context that cluster is
}

TEST_CASE(
    "MultiKueue: managedBy shows that a job is copied to another cluster, and the Workload shows that a job "
    "is a copy") {
  const Moment here("0.19/multikueue-manager"), there("0.19/multikueue-worker");
  const Json &job = here.get("Job", "runs"), &copy = there.get("Job", "runs");
  CHECK(job::is_dispatched(job));
  CHECK_FALSE(job::is_dispatched(copy));
  CHECK_FALSE(job::is_dispatched(Moment("0.19/waiting").get("Job", "runs")));
  const auto dispatch = job::dispatch_in(here.all("Workload").at(0));
  REQUIRE(dispatch);
  CHECK(dispatch->cluster == "west");
  CHECK(job::is_copy(copy, *dispatch));
  CHECK_FALSE(job::is_copy(job, *dispatch));
  CHECK_FALSE(job::is_copy(copy, {"west", "job-other"}));
  CHECK(here.cause("runs").summary == "Kueue runs it in cluster west: its pods and their logs are there");
}

TEST_CASE("eviction: time, start and preemptor of a preemption by Kueue are read from the Workloads") {
  const Moment moment("0.17/reclaimed-by-cohort");
  const job::Workloads workloads(moment.all("Workload"));
  const auto eviction = job::eviction_of(*workloads.of(moment.get("Job", "a1")), moment.all("Workload"));
  REQUIRE(eviction);
  CHECK(rfc3339(eviction->time) == "2026-11-28T02:09:49Z");
  CHECK(*eviction->start == eviction->time - std::chrono::seconds(14));
  CHECK(eviction->by == "b1");
  CHECK(!job::eviction_of(*workloads.of(moment.get("Job", "a2")), {}));  // it runs
}

TEST_CASE("eviction: of the Workloads of other jobs, only the preemptor's is read") {
  const Moment moment("0.17/reclaimed-by-cohort");
  const Json job = moment.get("Job", "a1");
  const auto of_job = [&](const std::string& name) {
    Json items = Json::array();
    for (const Json& workload : moment.all("Workload"))
      if (workload["metadata"]["ownerReferences"][0]["name"] == name) items.push_back(workload);
    return Json{{"items", items}};
  };
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", "/apis/kueue.x-k8s.io", {{"preferredVersion", {{"version", "v1beta2"}}}});
  transport.answer("GET", "/apis/kueue.x-k8s.io/v1beta2/namespaces/" + api::namespace_of(job) + "/workloads",
                   of_job("a1"));
  transport.answer("GET", "/apis/kueue.x-k8s.io/v1beta2/workloads", of_job("b1"));
  const auto eviction = job::read_eviction(client, job);
  REQUIRE(eviction);
  CHECK(eviction->by == "b1");
  const std::string uid = api::uid_of(moment.get("Job", "b1"));
  CHECK(transport.requests.back().path.find("job-uid%3D" + uid) != std::string::npos);
}

TEST_CASE("queue: Kueue sorts equal jobs by the uids of their Workloads") {
  Json first = {{"metadata", {{"uid", "a"}, {"name", "z"}, {"creationTimestamp", "2026-01-01T00:00:00Z"}}},
                {"spec", {{"priority", 0}}}};
  Json second = first;
  second["metadata"].update({{"uid", "b"}, {"name", "y"}});
  CHECK(job::is_before_in_queue(first, second));
  CHECK(!job::is_before_in_queue(second, first));
  second["spec"]["priority"] = 1;
  CHECK(job::is_before_in_queue(second, first));
}

}  // namespace queue_recorded_test
