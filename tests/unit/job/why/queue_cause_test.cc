#include <doctest/doctest.h>

#include <algorithm>

#include "job/why/causes.h"
#include "job/why/objects.h"
#include "kml/base/files.h"

namespace queue_cause_test {

using namespace kml;
using namespace kml::test;

namespace {

std::vector<Json> recorded(const std::string& file) {
  const std::string path = std::string(KML_SOURCE_DIR) + "/tests/recorded/kueue/" + file;
  return parse_json(read_file(path), path)["items"];
}

/// A recorded job, with Kueue's objects of that moment.
struct Recorded {
  Recorded(const std::string& jobs, const std::string& workloads, const std::string& name)
      : known(find_in(recorded(jobs), name)) {
    known.facts.workloads = recorded(workloads);
    for (const Json& queue : recorded("3-queues.json"))
      (queue["kind"] == "ClusterQueue" ? known.facts.cluster_queue : known.facts.local_queue) = queue;
  }
  static Json find_in(const std::vector<Json>& items, const std::string& name) {
    for (const Json& item : items)
      if (item["metadata"]["name"] == name) return item;
    return {};
  }
  Json& workload() {
    for (Json& item : *known.facts.workloads)
      if (item["metadata"]["ownerReferences"][0]["name"] == known.job["metadata"]["name"]) return item;
    throw std::logic_error("no workload");
  }
  void say(const std::string& reason, const std::string& message) {
    for (Json& condition : workload()["status"]["conditions"])
      if (condition["type"] == "QuotaReserved") condition.update({{"reason", reason}, {"message", message}});
  }
  Known known;
};

}  // namespace

TEST_CASE("why: if Kueue's quota is in use, the missing amount and its holders are named") {
  const job::Cause cause = Recorded("1-jobs.json", "1-pending.json", "wait1").known.cause();
  CHECK(cause.code == CauseCode::queue_quota);
  CHECK(cause.brief == "needs 2 GPUs more in queue lq");
  CHECK(cause.summary ==
        "queue lq is full: needs 2 GPUs of flavor a100 more; 2 of 8 are free; "
        "number 1 of 2 waiting in queue lq");
  REQUIRE(cause.holders.size() == 1);
  CHECK(cause.holders[0].name == "run1");
  CHECK(cause.holders[0].amount == 6000);
  CHECK(cause.priority == "a workload priority above 0 could preempt; its own is 0");
  CHECK(cause.remedies.at(0).command == "kml cancel run1");
}

TEST_CASE("why: a workload that has finished holds no quota, whatever its admission says") {
  Recorded waits("1-jobs.json", "1-pending.json", "wait1");
  Json ended =
      *std::find_if(waits.known.facts.workloads->begin(), waits.known.facts.workloads->end(),
                    [](const Json& one) { return one["metadata"]["ownerReferences"][0]["name"] == "run1"; });
  ended["metadata"].update({{"name", "ended"}, {"uid", "ended"}});
  ended["metadata"]["ownerReferences"][0].update({{"name", "ended"}, {"uid", "ended-job"}});
  ended["spec"]["priority"] = -5;
  ended["status"]["conditions"].push_back({{"type", "Finished"}, {"status", "True"}});
  waits.known.facts.workloads->push_back(ended);
  const job::Cause cause = waits.known.cause();
  REQUIRE(cause.holders.size() == 1);
  CHECK(cause.holders[0].name == "run1");
  CHECK(cause.priority == "a workload priority above 0 could preempt; its own is 0");
  CHECK(cause.remedies.at(0).command == "kml cancel run1");
}

TEST_CASE("why: the priority that could preempt is above the priorities of enough holders") {
  Recorded waits("1-jobs.json", "1-pending.json", "wait1");
  for (const int gpus : {1, 2}) {  // run1 holds 6 GPUs
    Json other = *std::find_if(
        waits.known.facts.workloads->begin(), waits.known.facts.workloads->end(),
        [](const Json& one) { return one["metadata"]["ownerReferences"][0]["name"] == "run1"; });
    other["metadata"].update({{"name", "other"}, {"uid", "other"}});
    other["metadata"]["ownerReferences"][0].update({{"name", "other"}, {"uid", "other-job"}});
    other["spec"]["priority"] = -5;
    other["status"]["admission"]["podSetAssignments"][0]["resourceUsage"]["nvidia.com/gpu"] =
        std::to_string(gpus);
    waits.known.facts.workloads->push_back(other);
    CHECK(waits.known.cause().priority == (gpus == 1
                                               ? "a workload priority above 0 could preempt; its own is 0"
                                               : "a workload priority above -5 could preempt; its own is 0"));
  }
}

TEST_CASE("why: in a queue with strict order, a job waits behind another job that Kueue does not mention") {
  Recorded waits("1-jobs.json", "1-pending.json", "wait1");
  (*waits.known.facts.cluster_queue)["spec"]["queueingStrategy"] = "StrictFIFO";
  Json before = waits.workload();
  before["metadata"].update({{"uid", "0"}, {"name", "before"}});
  before["metadata"]["ownerReferences"][0].update({{"uid", "0"}, {"name", "before"}});
  before["metadata"]["creationTimestamp"] = "2020-01-01T00:00:00Z";
  waits.workload()["status"]["conditions"] = Json::array();
  waits.known.facts.workloads->push_back(before);
  CHECK(waits.known.cause().summary ==
        "number 2 of 3 waiting in queue lq, which admits jobs in strict order");
  CHECK(waits.known.cause().remedies.empty());
  waits.known.facts.workloads->back()["status"]["conditions"] =
      Recorded("1-jobs.json", "1-pending.json", "never").workload()["status"]["conditions"];
  const std::string first = before["metadata"]["ownerReferences"][0]["name"];
  CHECK(waits.known.cause().summary ==
        "number 2 of 3 waiting in queue lq, which admits jobs in strict order; job " + first +
            " is ahead, and can never be admitted");
  CHECK(waits.known.cause().remedies.at(0).command == "kml why " + first);
}

TEST_CASE("why: a ClusterQueue that is gone is not called a missing queue") {
  Recorded waits("1-jobs.json", "1-pending.json", "wait1");
  waits.say("Inadmissible", "ClusterQueue team doesn't exist");
  CHECK(waits.known.cause().brief == "ClusterQueue team doesn't exist");
  // The Workload's message is older than the deletion.
  waits.say("Inadmissible", "ClusterQueue team is inactive");
  CHECK(waits.known.cause().code == CauseCode::queue_stopped);
  const std::string name = (*waits.known.facts.local_queue)["spec"]["clusterQueue"];
  (*waits.known.facts.local_queue)["status"]["conditions"] = {
      {{"type", "Active"}, {"status", "False"}, {"reason", "ClusterQueueDoesNotExist"}}};
  CHECK(waits.known.cause().brief == "ClusterQueue " + name + " doesn't exist");
}

TEST_CASE("why: a request larger than the whole quota of the queue is reported") {
  const job::Cause cause = Recorded("1-jobs.json", "1-pending.json", "never").known.cause();
  CHECK(cause.code == CauseCode::queue_too_large);
  CHECK(cause.outlook == job::Outlook::never);
  CHECK(cause.summary == "asks for 9 GPUs, and queue lq never has more than 8 GPUs of flavor a100");
}

TEST_CASE("why: a queue that does not exist, or is stopped, is reported") {
  CHECK(Recorded("1-jobs.json", "1-pending.json", "noqueue").known.cause().summary ==
        "queue nope does not exist in namespace default");
  const job::Cause stopped = Recorded("1-jobs.json", "3-stopped.json", "wait1").known.cause();
  CHECK(stopped.code == CauseCode::queue_stopped);
  CHECK(stopped.summary == "queue lq does not accept jobs: ClusterQueue team is inactive");
}

TEST_CASE("why: the preemptor of a workload is named, and so is what the workload waits for now") {
  const job::Cause cause = Recorded("2-jobs.json", "2-preempted.json", "run1").known.cause();
  CHECK(cause.code == CauseCode::queue_preempted);
  CHECK(cause.brief == "preempted by pre1");
  CHECK(cause.summary.starts_with(
      "was stopped for pre1 (priority 1000), which comes before it in the queue, and is "
      "back in queue lq: queue lq is full"));
  CHECK(cause.summary.find("598c845a") == std::string::npos);
  CHECK(cause.priority == "a workload priority above 1000 could preempt; its own is 0");
}

TEST_CASE("why: an admitted job is examined like any other") {
  CHECK(Recorded("2-jobs.json", "2-preempted.json", "pre1").known.cause().code == CauseCode::starting);
}

TEST_CASE("why: other messages of Kueue are understood, even those of older versions with fewer reasons") {
  Recorded other("1-jobs.json", "1-pending.json", "wait1");
  const auto code = [&](const std::string& reason, const std::string& message) {
    other.say(reason, message);
    return other.known.cause().code;
  };
  CHECK(code("NoMatchingFlavor",
             "couldn't assign flavors to pod set main: flavor a100 doesn't match node affinity") ==
        CauseCode::queue_flavor);
  CHECK(code("TopologyPlacementFailed", "topology \"default\" allows to fit only 2 out of 4 make_pod(s)") ==
        CauseCode::queue_topology);
  CHECK(code("WaitingForPreemptedWorkloads",
             "insufficient unused quota for nvidia.com/gpu in flavor a100, 6 more needed. Pending the "
             "preemption of 1 workload(s)") == CauseCode::queue_preempting);
  CHECK(code("Pending",
             "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in "
             "flavor a100, 2 more needed") == CauseCode::queue_quota);
  CHECK(code("Inadmissible", "LocalQueue nope doesn't exist") == CauseCode::queue_missing);
  CHECK(code("Inadmissible", "ClusterQueue team is inactive") == CauseCode::queue_stopped);
  CHECK(code("Pending",
             "insufficient quota for nvidia.com/gpu in flavor a100, request > maximum capacity (9 > 8)") ==
        CauseCode::queue_too_large);
  CHECK(code("Pending", "") == CauseCode::queue_pending);
  CHECK(code("Waiting", "waiting for all admitted workloads to be in PodsReady condition") ==
        CauseCode::queue_blocked);
  CHECK(code("WaitingForPodsReady", "") == CauseCode::queue_blocked);
  CHECK(code("AdmissionGated", "Admission is gated by: team.example/budget") == CauseCode::queue_gated);
  CHECK(code("OnHold", "") == CauseCode::queue_gated);
  CHECK(code("Misconfigured", "LocalQueue nope doesn't exist") == CauseCode::queue_missing);
  CHECK(code("Misconfigured", "Workload namespace doesn't match ClusterQueue selector") ==
        CauseCode::queue_namespace);
  CHECK(code("Suspended", "LocalQueue lq is inactive") == CauseCode::queue_stopped);
  // One flavor can never hold the job, and another flavor has nothing free now.
  CHECK(
      code(
          "Pending",
          "couldn't assign flavors to pod set main: insufficient quota for nvidia.com/gpu in flavor a, "
          "previously "
          "considered podsets requests (0) + current podset request (6) > maximum capacity (4), insufficient "
          "unused quota for nvidia.com/gpu in flavor b, 2 more needed") == CauseCode::queue_quota);
}

TEST_CASE("why: if a job must be in one rack, the cause names its pod or its pods, and what helps") {
  struct Case {
    int pods, cpus;
    const char *message, *summary, *remedy;
  };
  const Case cases[] = {
      {1, 8, "", "its pod must be in one rack (team/rack), and none has room for it now", ""},
      {3, 2, "", "its 3 pods must be in one rack (team/rack), and none has room for any of them now",
       "wait, or let the job use several racks"},
      {3, 2, "topology \"dc\" allows to fit only 1 out of 3 pod(s)",
       "its 3 pods must be in one rack (team/rack), and none has room for more than 1 of them now",
       "wait, or let the job use several racks"},
      {1, 9, "", "its pod must be in one rack (team/rack), and even an empty one has no room for it",
       "submit it again, and request less per pod"},
      {2, 9, "",
       "its 2 pods must be in one rack (team/rack), and even an empty one has no room for any of them",
       "submit it again, and request less per pod"},
      {2, 8, "", "its 2 pods must be in one rack (team/rack), and even an empty one has room for at most 1",
       "let the job use several racks, or submit it again with at most 1 pod"},
      {5, 2, "", "its 5 pods must be in one rack (team/rack), and even an empty one has room for at most 4",
       "let the job use several racks, or submit it again with at most 4 pods"},
  };
  for (const Case& one : cases) {
    const Json container = {{"resources", {{"requests", {{"cpu", std::to_string(one.cpus)}}}}}},
               set = {{"count", one.pods},
                      {"topologyRequest", {{"required", "team/rack"}}},
                      {"template", {{"spec", {{"containers", Json::array({container})}}}}}},
               workload = {{"spec", {{"podSets", Json::array({set})}}}},
               node = {{"metadata", {{"name", "n"}, {"labels", {{"team/rack", "r1"}}}}},
                       {"status", {{"allocatable", {{"cpu", "8"}, {"pods", "100"}}}}}};
    const Json no_job = Json::object();
    job::Facts facts{.job = no_job};
    facts.nodes = std::vector<Json>{node};
    const auto cause = topology_cause(facts, workload, CauseCode::queue_topology, one.message);
    REQUIRE(cause);
    CHECK(cause->summary == one.summary);
    CHECK((cause->remedies.empty() ? "" : cause->remedies[0].what) == one.remedy);
  }
}

TEST_CASE(
    "why: admission checks, pods that were not ready in time, and a deactivated workload are separate "
    "causes") {
  Recorded waits("1-jobs.json", "1-pending.json", "wait1");
  Json& workload = waits.workload();
  for (Json& condition : workload["status"]["conditions"])
    if (condition["type"] == "QuotaReserved") condition["status"] = "True";
  workload["status"]["admissionChecks"] =
      Json::array({{{"name", "provision"}, {"state", "Pending"}, {"message", "no capacity"}}});
  CHECK(waits.known.cause().code == CauseCode::queue_check);
  CHECK(waits.known.cause().summary ==
        "has its quota, and waits for the admission check provision (Pending: no capacity)");

  Recorded late("1-jobs.json", "1-pending.json", "wait1");
  late.workload()["status"]["conditions"].push_back({{"type", "Evicted"},
                                                     {"status", "True"},
                                                     {"reason", "PodsReadyTimeout"},
                                                     {"message", "Exceeded the PodsReady timeout"}});
  CHECK(late.known.cause().code == CauseCode::queue_not_ready);
  late.workload()["spec"]["active"] = false;
  late.workload()["status"]["conditions"].back().update(
      {{"reason", "DeactivatedDueToRequeuingLimitExceeded"},
       {"message", "exceeded the maximum number of re-queuing retries"}});
  Json requeued = late.workload()["status"]["conditions"].back();
  requeued.update({{"type", "Requeued"}, {"status", "False"}});
  late.workload()["status"]["conditions"].push_back(requeued);
  CHECK(late.known.cause().code == CauseCode::queue_gave_up);
  late.workload()["spec"]["active"] = true;  // which does not help in Kueue 0.19
  CHECK(late.known.cause().code == CauseCode::queue_gave_up);
  CHECK(late.known.cause().outlook == job::Outlook::never);
}

TEST_CASE("why: if Kueue reports a wrong configuration, waiting does not help") {
  Recorded other("1-jobs.json", "1-pending.json", "wait1");
  other.say("Misconfigured", "KueueDRAIntegration feature does not support use of resource claims");
  CHECK(other.known.cause().outlook == job::Outlook::never);
}

TEST_CASE("why: the text says how a cohort took its quota back") {
  Recorded run1("2-jobs.json", "2-preempted.json", "run1");
  const auto summary = [&](const std::string& reason) {
    for (Json& condition : run1.workload()["status"]["conditions"])
      if (condition["type"] == "Preempted") condition["reason"] = reason;
    return run1.known.cause().summary;
  };
  CHECK(summary("InCohortReclamation").find("whose queue reclaimed its lent quota") != std::string::npos);
  CHECK(summary("InCohortFairSharing").find("fair sharing") != std::string::npos);
}

TEST_CASE("why: a job with a queue is explained in a cluster without Kueue, and before Kueue has answered") {
  Known alone(Recorded::find_in(recorded("1-jobs.json"), "wait1"));
  CHECK(alone.cause().brief == "waits in queue lq");
  alone.facts.workloads = std::vector<Json>{};
  CHECK(alone.cause().code == CauseCode::queue_pending);
  alone.facts.has_kueue = false;
  CHECK(alone.cause().code == CauseCode::queue_missing);
  CHECK(alone.cause().remedies.at(0).command == "kml resume wait1");
}

TEST_CASE("why: a job for which Kueue creates no Workload is not said to wait in its queue forever") {
  Known alone(Recorded::find_in(recorded("1-jobs.json"), "wait1"));
  alone.facts.workloads = std::vector<Json>{};
  const Time created = *parse_rfc3339(alone.job["metadata"]["creationTimestamp"].get<std::string>());
  alone.facts.now = created + std::chrono::seconds(59);
  CHECK(alone.cause().code == CauseCode::queue_pending);
  alone.facts.now = created + std::chrono::minutes(5);
  CHECK(alone.cause().code == CauseCode::controller_missing);
  CHECK(alone.cause().brief == "Kueue has not picked it up");
}

}  // namespace queue_cause_test
