#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "job/why/objects.h"
#include "kml/base/text.h"

/// What `why` says if this job, or other waiting jobs, may preempt others.
namespace preemption_order_test {

using namespace kml;
using namespace kml::test;

namespace {

struct Pod {
  std::string name;
  int gpus = 1;
  int priority = 0;
  std::string node = {};       ///< empty if the pod waits
  std::string nominated = {};  ///< the node on which other pods are preempted for this one
  bool is_stopping = false;
};

Json made(const Pod& its, int second) {
  Json object = make_pod(make_job(its.name, its.gpus));
  object["metadata"]["creationTimestamp"] = "2026-01-01T00:00:" + std::to_string(10 + second) + "Z";
  object["spec"]["priority"] = its.priority;
  if (its.is_stopping) object["metadata"]["deletionTimestamp"] = "2026-01-01T01:59:50Z";
  if (!its.nominated.empty()) object["status"]["nominatedNodeName"] = its.nominated;
  return its.node.empty() ? unschedulable(object, "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")
                          : on_node(object, its.node);
}

/// The cause of the pod "own" among these pods, in the order of their creation, on a node of 8 GPUs.
job::Cause cause_among(const std::vector<Pod>& pods, std::vector<Json> priorities = {}) {
  std::vector<Json> all;
  for (const Pod& pod : pods) all.push_back(made(pod, static_cast<int>(all.size())));
  std::vector<Json> own;
  int gpus = 0;
  for (size_t i = 0; i < pods.size(); ++i)
    if (pods[i].name == "own") {
      own.push_back(all[i]);
      gpus = pods[i].gpus;
    }
  Known known(make_job("own", gpus), own);
  Json embedded = node("a", 8);
  embedded["status"]["nodeInfo"]["kubeletVersion"] = "kml-1.0";
  known.facts.nodes = std::vector<Json>{embedded};
  known.facts.active_pods = std::move(all);
  known.facts.priorities = std::move(priorities);
  known.facts.other_jobs = std::vector<Json>{};
  return known.cause();
}

Json priority_class(int value, const std::string& policy) {
  return {
      {"metadata", {{"name", "p" + std::to_string(value)}}}, {"value", value}, {"preemptionPolicy", policy}};
}

}  // namespace

TEST_CASE("preemption order: a remedy takes into account what the jobs ahead would preempt") {
  struct Row {
    const char* what;
    std::vector<Pod> pods;
    const char* command;
    std::vector<Json> priorities = {};
  };
  const Pod a = {"a", 4, 0, "a"}, b = {"b", 3, 1000, "a"}, low = {"low", 1, -10, "a"};
  const std::vector<Row> rows = {
      {"the job ahead preempts and takes what a frees",
       {a, b, {"w1", 5}, {"own", 2, -10}, low},
       "kml cancel b"},
      {"so it does against one of its priority", {a, b, {"w1", 5}, {"own", 2}, low}, "kml cancel b"},
      {"it would need more than it may preempt", {a, b, {"w1", 6}, {"own", 2}, low}, "kml cancel a"},
      {"the pod in its way has its priority", {a, b, {"w1", 5, -10}, {"own", 2, -10}, low}, "kml cancel a"},
      {"it never preempts",
       {a, b, {"w1", 5, 5}, {"own", 2}, low},
       "kml cancel a",
       {priority_class(5, "Never")}},
      {"another class of its priority preempts",
       {a, b, {"w1", 5, 5}, {"own", 2}, low},
       "",
       {priority_class(5, "Never"), priority_class(5, "PreemptLowerPriority")}},
      {"the job itself preempts after the end", {a, b, {"own", 5}, low}, "kml cancel a"},
      {"one end is enough without preemption", {a, b, {"own", 4}, low}, "kml cancel a"},
      {"a later job of the same priority preempts, too", {a, b, {"own", 5}, {"w2", 5}, low}, "kml cancel a"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const job::Cause cause = cause_among(row.pods, row.priorities);
    CHECK((cause.remedies.empty() ? "" : cause.remedies[0].command.substr(0, 12)) == row.command);
  }
  CHECK(contains(cause_among({a, b, {"own", 5}, low}).remedies.at(0).what, "; it then preempts"));
  CHECK(!contains(cause_among({a, b, {"own", 4}, low}).remedies.at(0).what, "; it then preempts"));
}

TEST_CASE("preemption order: room that is made for another pod is not promised") {
  struct Row {
    const char* what;
    Pod own, preemptor;
    CauseCode code;
    job::Outlook outlook;
  };
  const Pod stopping = {"v", 4, 0, "a", "", true};
  const std::vector<Row> rows = {
      {"all of it is for one of higher priority",
       {"own", 2},
       {"h", 8, 1000, "", "a"},
       CauseCode::resources_held,
       job::Outlook::waits},
      {"for one of the same priority",
       {"own", 2},
       {"h", 8, 0, "", "a"},
       CauseCode::resources_held,
       job::Outlook::waits},
      {"for one of lower priority",
       {"own", 2, 5},
       {"h", 8, 0, "", "a"},
       CauseCode::scheduling,
       job::Outlook::starting},
      {"on another node", {"own", 2}, {"h", 8, 1000, "", "b"}, CauseCode::scheduling, job::Outlook::starting},
      {"some is left once the victims have stopped",
       {"own", 2},
       {"h", 5, 1000, "", "a"},
       CauseCode::resources_held,
       job::Outlook::starting},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const job::Cause cause = cause_among({stopping, row.preemptor, row.own});
    CHECK(cause.code == row.code);
    CHECK(cause.outlook == row.outlook);
  }
  const job::Cause held = cause_among({stopping, rows[0].preemptor, rows[0].own});
  REQUIRE(!held.holders.empty());
  CHECK(held.holders[0].name == "h");
}

TEST_CASE("preemption order: if several resources are short, all their holders are named") {
  const auto running = [](const std::string& name, const std::string& cpu, const std::string& memory) {
    Json pod = on_node(make_pod(make_job(name)), "a");
    pod["spec"]["containers"][0]["resources"]["requests"] = {{"cpu", cpu}, {"memory", memory}};
    return pod;
  };
  const auto held = [&](const std::string& cpu, const std::string& memory) {
    Json own = make_job("own");
    own["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"] = {{"cpu", cpu},
                                                                                 {"memory", memory}};
    Known known(own, {unschedulable(make_pod(own), "0/1 nodes are available: 1 Insufficient cpu.")});
    known.facts.nodes = std::vector<Json>{node("a", 0)};
    known.facts.active_pods = std::vector<Json>{running("b1", "12", "1Gi"), running("b2", "0", "60Gi")};
    const job::Cause cause = known.cause();
    std::string names;
    for (const job::Holder& holder : cause.holders)
      names += holder.name + "=" + std::to_string(holder.amount / 1000) + " ";
    return cause.brief + ": " + names;
  };
  CHECK(held("8", "8Gi") == "needs 4 CPUs and 5 GiB of memory more: b1=12 b2=0 ");
  CHECK(held("8", "1Gi") == "needs 4 CPUs more: b1=12 ");
}

TEST_CASE("preemption order: a pod of an earlier job with the same name does not belong to this job") {
  const Json own = make_job("own", 1);
  Known known(own, {unschedulable(make_pod(own, "new"), "0/1 nodes are available: 1 Insufficient cpu.")});
  const Json gone = {{"metadata", {{"uid", "gone"}}}}, earlier = {{"metadata", {{"uid", "earlier-uid"}}}};
  Json preempted = event(gone, "Preempted", "Preempted by pod uid-urgent-0 on node a");
  preempted["involvedObject"]["name"] = "own-old";
  known.facts.active_pods = std::vector<Json>{};
  known.facts.events = std::vector<Json>{event(own, "SuccessfulCreate", "Created pod: own-new"),
                                         event(own, "SuccessfulCreate", "Created pod: own-old"), preempted};
  CHECK(job::causes_of(known.facts).size() == 2);
  CHECK(job::pods_made(known.facts) == 2);
  known.facts.events->at(1) = event(earlier, "SuccessfulCreate", "Created pod: own-old");
  CHECK(job::causes_of(known.facts).size() == 1);
  CHECK(job::pods_made(known.facts) == 1);
}

}  // namespace preemption_order_test
