#include "local/scheduling/scheduler.h"

#include <doctest/doctest.h>

#include <chrono>
#include <set>

#include "kml/kube/objects/pod.h"
#include "support/pod_fit_cases.h"

namespace scheduler_test {

using namespace kml;
using namespace kml::local;

namespace {

/// A node with four GPUs.
Scheduler four_gpus() {
  Scheduler scheduler;
  scheduler.set_node(
      {{{"metadata", {{"labels", {{"node-type", "my-precious"}}}}}}, {{"nvidia.com/gpu", 4}, {"pods", 110}}});
  return scheduler;
}

PodRequest pod(std::string uid, int64_t gpus, int priority = 0) {
  static uint64_t order = 0;
  PodRequest request;
  request.uid = std::move(uid);
  request.priority = priority;
  request.order.arrival = ++order;
  request.resources = {{"nvidia.com/gpu", gpus}, {"pods", 1}};
  request.placement = Json::object();
  return request;
}

PodRequest member(std::string uid, std::string gang, size_t size, int64_t gpus, int priority = 0) {
  PodRequest request = pod(std::move(uid), gpus, priority);
  request.gang = std::move(gang);
  request.gang_size = size;
  return request;
}

using Uids = std::vector<std::string>;

Uids victims(const Decision& decision) {
  Uids uids;
  for (const auto& preemption : decision.preempt) uids.push_back(preemption.victim);
  return uids;
}

}  // namespace

TEST_CASE("scheduler: pods of the same second start in the order of their jobs, as kml queue shows them") {
  Scheduler scheduler = four_gpus();
  scheduler.add_running(pod("runs", 4));
  const auto add = [&](const char* uid, const char* created, const char* submitted, const char* job) {
    PodRequest request = pod(uid, 4);
    request.order = {created, submitted, job, request.order.arrival};
    scheduler.add_pending(request);
  };
  add("later", "2026-01-01T00:00:08Z", "2026-01-01T00:00:01.000000Z", "n/a");
  add("third", "2026-01-01T00:00:07Z", "2026-01-01T00:00:06.000002Z", "n/a");
  add("second", "2026-01-01T00:00:07Z", "", "n/exp-10");
  add("first", "2026-01-01T00:00:07Z", "", "n/exp-9");
  std::vector<std::string> started;
  for (const char* before : {"runs", "first", "second", "third"}) {
    scheduler.remove(before);
    for (const std::string& uid : scheduler.schedule().start) started.push_back(uid);
  }
  CHECK(started == std::vector<std::string>{"first", "second", "third", "later"});
}

TEST_CASE("scheduler: the highest priority starts first, then the oldest") {
  Scheduler scheduler = four_gpus();
  scheduler.add_pending(pod("old", 2));
  scheduler.add_pending(pod("young", 2));
  scheduler.add_pending(pod("urgent", 2, 1'000'000));
  CHECK(scheduler.schedule().start == Uids{"urgent", "old"});
  scheduler.remove("urgent");
  CHECK(scheduler.schedule().start == Uids{"young"});
}

TEST_CASE(
    "scheduler: a pod that does not fit lets smaller ones pass, and its reason names the missing resource") {
  Scheduler scheduler = four_gpus();
  scheduler.add_pending(pod("huge", 8));
  scheduler.add_pending(pod("small", 1));
  Decision decision = scheduler.schedule();
  CHECK(decision.start == Uids{"small"});
  REQUIRE(decision.unschedulable.size() == 1);
  CHECK(decision.unschedulable[0].message ==
        "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: 0/1 nodes are available: 1 "
        "Preemption is not helpful for scheduling.");
  CHECK(scheduler.schedule().unschedulable.empty());
  // Another pod's end would make room for this one.
  scheduler.add_pending(pod("large", 4));
  decision = scheduler.schedule();
  REQUIRE(decision.unschedulable.size() == 1);
  CHECK(decision.unschedulable[0].message == "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.");
}

TEST_CASE("scheduler: each waiting pod has a reason, even one that was not examined") {
  Scheduler scheduler = four_gpus();
  for (const char* uid : {"a", "b", "c"}) scheduler.add_pending(pod(uid, 4));
  Decision decision = scheduler.schedule();
  CHECK(decision.start == Uids{"a"});
  CHECK(decision.unschedulable.size() == 2);
}

TEST_CASE("scheduler: node selectors, affinity and taints are obeyed") {
  Scheduler scheduler = four_gpus();
  PodRequest request = pod("p", 1);
  std::string message;
  SUBCASE("selector matches") {
    request.placement = {{"nodeSelector", {{"node-type", "my-precious"}}}};
  }
  SUBCASE("selector does not match") {
    request.placement = {{"nodeSelector", {{"node-type", "other"}}}};
    message = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
  }
  SUBCASE("affinity does not match") {
    request.placement = Json::parse(
        R"({"affinity": {"nodeAffinity": {
      "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [
      {"key": "node-type", "operator": "NotIn", "values": ["my-precious"]}]}]}}}})");
    message = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
  }
  SUBCASE("the node's name") {
    scheduler.set_node({{{"metadata", {{"name", "here"}}}}, {{"nvidia.com/gpu", 4}, {"pods", 110}}});
    std::string avoided = "there";
    SUBCASE("another node is avoided") {}
    SUBCASE("this node is avoided") {
      avoided = "here";
      message = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
    }
    request.placement = Json::parse(
        R"({"affinity": {"nodeAffinity": {
      "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": [
      {"key": "metadata.name", "operator": "NotIn", "values": [")" +
        avoided + R"("]}]}]}}}})");
  }
  SUBCASE("taint") {
    scheduler.set_node({Json::parse(R"({"spec": {"taints": [
      {"key": "gpu", "value": "yes", "effect": "NoSchedule"}]}})"),
                        {{"nvidia.com/gpu", 4}, {"pods", 110}}});
    SUBCASE("not tolerated") {
      message = "0/1 nodes are available: 1 node(s) had untolerated taint {gpu: yes}.";
    }
    SUBCASE("tolerated") {
      request.placement = {{"tolerations", {{{"key", "gpu"}, {"operator", "Exists"}}}}};
    }
  }
  scheduler.add_pending(request);
  Decision decision = scheduler.schedule();
  CHECK(decision.start.empty() == !message.empty());
  if (!message.empty()) CHECK(decision.unschedulable.at(0).message == message);
}

TEST_CASE("scheduler: places pods exactly as kube-scheduler does") {
  for (const auto& item : test::pod_fit_cases()) {
    CAPTURE(string_at(item.pod, {"metadata", "name"}));
    Scheduler scheduler;
    scheduler.set_node({item.node, api::amounts_of(object_at(item.node, {"status", "allocatable"}))});
    PodRequest request;
    request.uid = "p";
    request.placement = object_at(item.pod, {"spec"});
    request.resources = api::pod_requests(request.placement);
    scheduler.add_pending(request);
    const Decision decision = scheduler.schedule();
    CHECK(decision.start.empty() == !item.reason.empty());
    if (!item.reason.empty())
      CHECK(decision.unschedulable.at(0).message.starts_with("0/1 nodes are available: 1 " + item.reason +
                                                             "."));
  }
}

TEST_CASE("scheduler: a higher priority preempts, and no other pod takes the freed room") {
  Scheduler scheduler = four_gpus();
  scheduler.add_pending(pod("low", 3));
  scheduler.schedule();
  scheduler.add_pending(pod("high", 2, 10));
  scheduler.add_pending(pod("tiny", 1));
  Decision decision = scheduler.schedule();
  CHECK(decision.start.empty());
  CHECK(victims(decision) == Uids{"low"});
  CHECK(decision.preempt.at(0).preemptor == "high");
  CHECK(scheduler.schedule().preempt.empty());
  scheduler.remove("low");
  CHECK(scheduler.schedule().start == Uids{"high", "tiny"});
}

TEST_CASE("scheduler: nothing is preempted for equal priority, for the policy Never, or in vain") {
  Scheduler scheduler = four_gpus();
  scheduler.add_pending(pod("running", 4, 5));
  scheduler.schedule();
  PodRequest polite = pod("polite", 1, 10);
  polite.may_preempt = false;
  scheduler.add_pending(polite);
  scheduler.add_pending(pod("equal", 1, 5));
  scheduler.add_pending(pod("huge", 5, 10));
  CHECK(scheduler.schedule().preempt.empty());
}

TEST_CASE(
    "scheduler: if another pod takes what the victims freed, the preemptor no longer waits for the victims") {
  Scheduler scheduler = four_gpus();
  scheduler.add_pending(pod("high", 2, 5));
  scheduler.add_pending(pod("low", 2));
  scheduler.schedule();
  scheduler.add_pending(pod("preemptor", 1, 5));
  CHECK(victims(scheduler.schedule()) == Uids{"low"});
  PodRequest polite = pod("polite", 2, 10);
  polite.may_preempt = false;
  scheduler.add_pending(polite);
  CHECK(scheduler.schedule().no_longer_nominated.empty());
  scheduler.remove("low");
  const Decision decision = scheduler.schedule();
  CHECK(decision.start == Uids{"polite"});
  CHECK(decision.no_longer_nominated == Uids{"preemptor"});
  CHECK(scheduler.schedule().no_longer_nominated.empty());
}

TEST_CASE("scheduler: no more victims than necessary are chosen, and the least important pods") {
  Scheduler scheduler = four_gpus();
  SUBCASE("one that is enough, the youngest of the lowest priority") {
    scheduler.add_pending(pod("mid", 2, 1));
    scheduler.add_pending(pod("old", 1));
    scheduler.add_pending(pod("young", 1));
    scheduler.schedule();
    scheduler.add_pending(pod("high", 1, 10));
    CHECK(victims(scheduler.schedule()) == Uids{"young"});
  }
  SUBCASE("two instead of three") {
    scheduler.add_pending(pod("a", 2, 1));
    scheduler.add_pending(pod("b", 1));
    scheduler.add_pending(pod("c", 1));
    scheduler.schedule();
    scheduler.add_pending(pod("high", 3, 10));
    CHECK(victims(scheduler.schedule()).size() == 2);
  }
}

TEST_CASE("scheduler: all pods of a gang start, or none") {
  Scheduler scheduler = four_gpus();
  scheduler.add_pending(pod("other", 2));
  scheduler.schedule();
  scheduler.add_pending(member("m", "g", 3, 1));
  scheduler.add_pending(member("w0", "g", 3, 1));
  CHECK(scheduler.schedule().start.empty());
  scheduler.add_pending(member("w1", "g", 3, 1));
  CHECK(scheduler.schedule().start.empty());
  scheduler.remove("other");
  CHECK(scheduler.schedule().start.size() == 3);
}

TEST_CASE("scheduler: the pods of a gang are preempted together") {
  Scheduler scheduler = four_gpus();
  for (const char* uid : {"m", "w0"}) scheduler.add_pending(member(uid, "g", 2, 2));
  CHECK(scheduler.schedule().start.size() == 2);
  scheduler.add_pending(pod("high", 1, 10));
  CHECK(victims(scheduler.schedule()).size() == 2);
}

TEST_CASE("scheduler: a replaced pod of a running gang starts alone") {
  Scheduler scheduler = four_gpus();
  for (const char* uid : {"m", "w0"}) scheduler.add_pending(member(uid, "g", 2, 2));
  scheduler.schedule();
  scheduler.remove("w0");
  scheduler.add_pending(member("w0-again", "g", 2, 2));
  CHECK(scheduler.schedule().start == Uids{"w0-again"});
}

TEST_CASE("scheduler: a gang with a minimum starts with that many pods, and the rest on their own") {
  Scheduler scheduler = four_gpus();
  for (int i = 0; i < 5; ++i) {
    PodRequest request = member("m" + std::to_string(i), "g", 2, 1);
    request.is_gang_size_minimum = true;
    request.ends_with_gang = false;
    scheduler.add_pending(request);
    CHECK(scheduler.schedule().start.size() == (i == 0 || i == 4 ? 0 : i == 1 ? 2 : 1));
  }
  scheduler.remove("m0");
  CHECK(scheduler.schedule().start == Uids{"m4"});
  scheduler.add_pending(pod("high", 1, 10));
  CHECK(victims(scheduler.schedule()) == Uids{"m4"});
}

TEST_CASE("scheduler: each waiting pod of a large, incomplete gang has a reason") {
  Scheduler scheduler = four_gpus();
  for (int i = 0; i < 4'999; ++i) scheduler.add_pending(member("m" + std::to_string(i), "g", 5'000, 0));
  const Decision decision = scheduler.schedule();
  CHECK(decision.start.empty());
  CHECK(decision.unschedulable.size() == 4'999);
}

TEST_CASE(
    "scheduler: the cost of a pass over 10,000 waiting pods depends on the number of different kinds of "
    "pods") {
  Scheduler scheduler = four_gpus();
  for (int i = 0; i < 10'000; ++i) scheduler.add_pending(pod("p" + std::to_string(i), 4));
  scheduler.schedule();
  for (int i = 0; i < 1000; ++i) {
    scheduler.remove("p" + std::to_string(i));
    const Decision decision = scheduler.schedule();
    CHECK(decision.start.size() == 1);
    // one check for the pod that starts, and one for the next pod, which stands for all pods behind it
    CHECK(decision.looks == 2);
  }
}

TEST_CASE("scheduler: no pod is preempted for room that will become free anyway") {
  struct Row {
    const char* what;
    std::vector<std::pair<const char*, int>> running;  ///< uids, and GPUs
    std::set<std::string> ending, terminating;
    int gpus;
    Uids preempted;
  };
  for (const Row& row : std::vector<Row>{
           {"nothing ends", {{"a", 4}}, {}, {}, 1, {"a"}},
           {"its job was cancelled", {{"a", 4}}, {"a"}, {}, 1, {}},
           {"another one is being deleted", {{"a", 2}, {"b", 2}}, {}, {"a"}, 2, {}},
           {"another one was cancelled", {{"a", 2}, {"b", 2}}, {"a"}, {}, 2, {}},
           {"the end of one frees a part", {{"a", 2}, {"b", 2}}, {"a"}, {}, 4, {"b"}},
           {"the end of two frees enough", {{"a", 2}, {"b", 1}, {"c", 1}}, {"a"}, {"b"}, 3, {}}}) {
    CAPTURE(std::string(row.what));
    Scheduler scheduler = four_gpus();
    for (const auto& [uid, gpus] : row.running) scheduler.add_running(pod(uid, gpus));
    for (const std::string& uid : row.terminating) scheduler.set_terminating(uid);
    scheduler.add_pending(pod("urgent", row.gpus, 1));
    scheduler.add_pending(pod("behind", 1));
    const auto is_ending = [&](const std::string& uid) { return row.ending.contains(uid); };
    const Decision decision = scheduler.schedule(is_ending);
    CHECK(victims(decision) == row.preempted);
    CHECK(decision.start.empty());
    for (const auto& [uid, gpus] : row.running)
      if (row.ending.contains(uid) || row.terminating.contains(uid) || !row.preempted.empty())
        scheduler.remove(uid);
    CHECK(scheduler.schedule(is_ending).start.at(0) == "urgent");
  }
}

}  // namespace scheduler_test
