#include "job/preflight/node_fit.h"

#include <doctest/doctest.h>

#include "support/owner.h"
#include "support/pod_fit_cases.h"

namespace node_fit_test {

using namespace kml;
using namespace kml::job;

namespace {

Json node(const std::string& name, int gpus, const Json& spec = Json::object(),
          const Json& labels = Json::object()) {
  return {
      {"metadata", {{"name", name}, {"labels", labels}}},
      {"spec", spec},
      {"status",
       {{"allocatable",
         {{"cpu", "16"}, {"memory", "64Gi"}, {"pods", "110"}, {"nvidia.com/gpu", std::to_string(gpus)}}}}}};
}

Json pod_spec(int gpus, const std::string& cpu = "1") {
  return {{"containers",
           Json::array(
               {{{"name", "main"}, {"resources", {{"limits", {{"nvidia.com/gpu", gpus}, {"cpu", cpu}}}}}}})}};
}

Json running(const std::string& job, const std::string& node_name, int gpus) {
  Json spec = pod_spec(gpus);
  spec["nodeName"] = node_name;
  return {{"metadata", {{"name", job + "-0"}, {"ownerReferences", controlled_by(job, "u")}}}, {"spec", spec}};
}

std::string outlook(const Json& spec, int count, const std::vector<Json>& nodes,
                    const std::vector<Json>& pods = {}) {
  return forecast({{spec, count}}, nodes, pods).text;
}

}  // namespace

TEST_CASE("node fit: pods start if they have room") {
  CHECK(outlook(pod_spec(4), 1, {node("a", 8)}) == "starts now");
  CHECK(outlook(pod_spec(4), 4, {node("a", 8), node("b", 8)}) == "starts now");
  CHECK(outlook(pod_spec(4), 1, {node("a", 8)}, {running("bert", "a", 4)}) == "starts now");
}

TEST_CASE("node fit: the pods that would start are the same that kube-scheduler binds") {
  for (const auto& item : test::pod_fit_cases()) {
    CAPTURE(string_at(item.pod, {"metadata", "name"}));
    const std::string text = outlook(object_at(item.pod, {"spec"}), 1, {item.node});
    CHECK((text == "starts now") == item.reason.empty());
  }
}

TEST_CASE("node fit: for a waiting job, the missing resources and the jobs that hold them are named") {
  CHECK(outlook(pod_spec(8), 1, {node("a", 8)}, {running("bert", "a", 4)}) ==
        "would wait for 4 GPUs held by bert");
  CHECK(outlook(pod_spec(2), 1, {node("a", 4), node("b", 4)},
                {running("bert", "a", 3), running("gpt", "b", 4), running("bert", "a", 1)}) ==
        "would wait for 2 GPUs held by bert, gpt");
  CHECK(outlook(pod_spec(0, "16"), 1, {node("a", 0)}, {running("bert", "a", 0)}) ==
        "would wait for 1 CPU held by bert");
  // The cluster has enough in total, but no single node does.
  CHECK(outlook(pod_spec(4), 1, {node("a", 4), node("b", 4)}, {running("x", "a", 2), running("y", "b", 2)}) ==
        "would wait for 2 GPUs held by x, y");
}

TEST_CASE("node fit: the outlook names a job's place among the jobs that wait") {
  const auto waiting = [](const std::string& job, int gpus, const std::string& created) {
    Json pod = running(job, "", gpus);
    pod["metadata"]["creationTimestamp"] = created;
    pod["status"] = {{"phase", "Pending"}};
    return pod;
  };
  const std::vector<Json> pods = {running("run1", "a", 8), waiting("run3", 2, "2026-11-30T10:00:02Z"),
                                  waiting("run2", 4, "2026-11-30T10:00:01Z"),
                                  waiting("huge", 64, "2026-11-30T10:00:00Z")};  // it can never start
  CHECK(outlook(pod_spec(2), 1, {node("a", 8)}, pods) ==
        "would wait for 2 GPUs held by run1; number 3 of the 3 jobs that wait for a node, after run2, run3");
  Json urgent = pod_spec(2);
  urgent["priority"] = 10;
  urgent["preemptionPolicy"] = "Never";
  CHECK(outlook(urgent, 1, {node("a", 8)}, pods) == "would wait for 2 GPUs held by run1");
  CHECK(outlook(pod_spec(0), 1, {node("a", 8)}, pods) == "starts now");
}

TEST_CASE("node fit: pods that would not fit even on empty nodes cannot run") {
  CHECK(outlook(pod_spec(16), 1, {node("a", 8), node("b", 4)}) ==
        "cannot run: no current node is large enough: a pod asks for 16 GPUs, the largest node has 8 GPUs");
  CHECK(outlook(pod_spec(8), 3, {node("a", 8), node("b", 8)}) ==
        "cannot run: 1 of its pods would not fit even if no other job were running");
  CHECK(outlook(pod_spec(1), 1, {}) == "cannot run: the cluster has no nodes");
}

TEST_CASE("node fit: an array starts as many pods as have room, and continues as they end") {
  const auto of_array = [](int count, const std::vector<Json>& nodes, const std::vector<Json>& pods = {}) {
    return forecast({{pod_spec(1), count}}, nodes, pods, false).text;
  };
  CHECK(of_array(2, {node("a", 2)}) == "starts now");
  CHECK(of_array(200, {node("a", 8)}) ==
        "starts now with 8 of its 200 pods; the others start as room becomes free");
  CHECK(of_array(4, {node("a", 2)}, {running("bert", "a", 2)}) == "would wait for 1 GPU held by bert");
  CHECK(of_array(4, {node("a", 0)}) == "cannot run: no node has GPUs: a pod asks for 1 GPU");
}

TEST_CASE("node fit: a job that may preempt lower priorities starts once these have stopped") {
  const auto text = [](long long priority, const std::string& policy, int count = 1,
                       bool all_at_once = true) {
    Json own = pod_spec(3), low = running("low", "a", 6), high = running("high", "a", 1);
    if (priority != 0) own["priority"] = priority;
    own["preemptionPolicy"] = policy;
    high["spec"]["priority"] = 2000;
    return forecast({{own, count}}, {node("a", 8)}, {low, high}, all_at_once).text;
  };
  const std::string starts = "starts once the lower-priority jobs that it preempts have stopped";
  CHECK(text(1000, "PreemptLowerPriority") == starts);
  CHECK(text(1000, "PreemptLowerPriority", 2) == starts);
  CHECK(text(1000, "PreemptLowerPriority", 2, false) == starts);
  CHECK(text(0, "PreemptLowerPriority") == "would wait for 2 GPUs held by low, high");
  CHECK(text(1000, "Never") == "would wait for 2 GPUs held by low, high");
  CHECK(forecast({{pod_spec(1), 1}}, {node("a", 8)}, {running("low", "a", 8)}).text ==
        "would wait for 1 GPU held by low");
  Json high = pod_spec(3);
  high["priority"] = 10;
  CHECK(forecast({{high, 2}}, {node("a", 8)}, {running("low", "a", 4)}, false).text ==
        "starts now with 1 of its 2 pods; the others start once the lower-priority jobs that it preempts "
        "have stopped");
}

TEST_CASE("node fit: the scheduler preempts for some pods of a job, even if the others then have no room") {
  const std::vector<Json> nodes = {node("a", 8), node("b", 8), node("c", 8), node("d", 8)};
  std::vector<Json> pods = {running("hi", "a", 8), running("hi2", "b", 8), running("low", "c", 8),
                            running("low2", "d", 8)};
  for (const size_t high : {0U, 1U}) pods[high]["spec"]["priority"] = 2000;
  Json own = pod_spec(8);
  own["priority"] = 1000;
  const std::string waits = "would wait for 24 GPUs held by hi, hi2, low and 1 more";
  CHECK(outlook(own, 3, nodes, pods) == waits + "; it would preempt lower-priority jobs for 2 of its 3 pods");
  own["schedulingGroup"]["podGroupName"] = "own";
  CHECK(outlook(own, 3, nodes, pods) == waits);
  own.erase("schedulingGroup");
  own["preemptionPolicy"] = "Never";
  CHECK(outlook(own, 3, nodes, pods) == waits);
}

TEST_CASE("node fit: if cordoned nodes would have room for the rest of a job, they are the cause") {
  const Json cordon = {{"unschedulable", true}};
  const std::vector<Json> nodes = {node("a", 8), node("b", 8), node("c", 8, cordon)};
  CHECK(outlook(pod_spec(8), 3, nodes) ==
        "would wait: 1 of its pods needs more nodes: node c would fit, but is cordoned");
  CHECK(outlook(pod_spec(8), 4, nodes) ==
        "cannot run: 2 of its pods would not fit even if no other job were running");
}

TEST_CASE("node fit: a waiting pod with a higher priority takes the room that preemption makes") {
  struct Row {
    int rivals_gpus;
    long long rivals_priority;
    bool is_gated, is_promised;
  };
  constexpr Row kRows[] = {{8, 2000, false, false}, {8, 1000, false, true},  {8, 500, false, true},
                           {2, 2000, false, true},  {64, 2000, false, true}, {8, 2000, true, true}};
  for (const Row& row : kRows) {
    CAPTURE(row.rivals_gpus);
    CAPTURE(row.rivals_priority);
    Json own = pod_spec(4), rival = running("hi", "", row.rivals_gpus);
    own["priority"] = 1000;
    rival["spec"].erase("nodeName");
    rival["spec"]["priority"] = row.rivals_priority;
    if (row.is_gated) rival["spec"]["schedulingGates"] = {{{"name", "later"}}};
    const std::string text = outlook(own, 1, {node("a", 8)}, {running("low", "a", 8), rival});
    CHECK(text == (row.is_promised
                       ? "starts once the lower-priority jobs that it preempts have stopped"
                       : "would wait: it would preempt lower-priority jobs, but pod hi-0, which waits with a "
                         "higher priority, would take their room"));
  }
}

TEST_CASE("node fit: room that is being made for another pod is not promised") {
  struct Row {
    long long priority;  ///< the priority of the pod for which others are preempted
    int gpus;
    std::string node, text;
  };
  const std::string waits =
      "would wait for 2 GPUs held by h, low; number 2 of the 2 jobs that wait for a node, after h";
  const std::vector<Row> rows = {{1000, 8, "a", waits},
                                 {0, 8, "a", waits},
                                 {-1, 8, "a", "starts now"},
                                 {1000, 8, "b", "starts now"},
                                 {1000, 2, "a", "starts now"}};
  for (const Row& row : rows) {
    CAPTURE(row.priority);
    Json preemptor = running("h", "a", row.gpus);
    preemptor["spec"].erase("nodeName");
    preemptor["spec"]["priority"] = row.priority;
    preemptor["status"] = {{"phase", "Pending"}, {"nominatedNodeName", row.node}};
    CHECK(outlook(pod_spec(2), 1, {node("a", 8)}, {running("low", "a", 4), preemptor}) == row.text);
    CHECK(forecast({{pod_spec(2), 1}}, {node("a", 8)}, {running("low", "a", 4), preemptor}, false).text ==
          row.text);
  }
}

TEST_CASE("node fit: all resources that are missing, and their holders, are named") {
  Json memory = running("big", "a", 0);
  memory["spec"]["containers"][0]["resources"]["requests"] = {{"memory", "60Gi"}, {"cpu", "1"}};
  Json own = pod_spec(2, "15");
  own["containers"][0]["resources"]["requests"] = {{"memory", "8Gi"}};
  CHECK(outlook(own, 1, {node("a", 8)}, {running("gpus", "a", 8), memory}) ==
        "would wait for 2 GPUs, 1 CPU and 4 GiB of memory held by gpus, big");
}

TEST_CASE("node fit: with the suggested amount, all pods that start together fit on the nodes") {
  const auto remedy = [](int gpus, int count, bool all_at_once) {
    const auto cause = too_large_for_nodes({{pod_spec(gpus), count}}, {node("a", 8)}, all_at_once);
    return cause ? cause->remedies.at(0).command : "";
  };
  CHECK(remedy(12, 1, true) == "kml submit --gpus 8 …");
  CHECK(remedy(12, 2, false) == "kml submit --gpus 8 …");
  CHECK(remedy(12, 2, true) == "kml submit --gpus 4 …");
  CHECK(remedy(12, 3, true) == "kml submit --gpus 2 …");
  CHECK(remedy(12, 9, true) == "kml submit --nodes N …");
}

TEST_CASE("node fit: for an unknown GPU type, the existing types are listed") {
  const std::vector<Json> nodes = {
      node("a", 8, Json::object(), {{"nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3"}}), node("b", 0)};
  Json typed = pod_spec(1);
  typed["nodeSelector"] = {{"nvidia.com/gpu.product", "NVIDIA-L4"}};
  CHECK(outlook(typed, 1, nodes) == "cannot run: no node has GPUs of type l4; available types: h100");
  CHECK(outlook(typed, 1, {node("b", 0)}) == "cannot run: no node has GPUs: a pod asks for l4 GPUs");
  typed["nodeSelector"]["zone"] = "b";
  CHECK(outlook(typed, 1, nodes).find("all the labels that it asks for") != std::string::npos);
  Json elsewhere = pod_spec(1);
  elsewhere["nodeSelector"]["zone"] = "b";
  CHECK(outlook(elsewhere, 1, {nodes[0], node("c", 0, Json::object(), {{"zone", "b"}})}) ==
        "cannot run: no node with the requested labels has GPUs: a pod asks for 1 GPU");
  Json slice = pod_spec(0);
  slice["containers"][0]["resources"]["limits"] = {{"nvidia.com/mig-1g.5gb", "1"}};
  CHECK(outlook(slice, 1, nodes) == "cannot run: no node has GPUs of type mig-1g.5gb; available types: h100");
}

TEST_CASE("node fit: nodes that reject the pod are ignored") {
  const Json taint = {{"taints", Json::array({{{"key", "gpu"}, {"effect", "NoSchedule"}}})}};
  CHECK(outlook(pod_spec(1), 1, {node("a", 8, taint), node("b", 8, {{"unschedulable", true}})}) ==
        "would wait: node b would fit, but is cordoned");
  Json tolerant = pod_spec(1);
  tolerant["tolerations"] = Json::array({{{"key", "gpu"}, {"operator", "Exists"}}});
  CHECK(outlook(tolerant, 1, {node("a", 8, taint)}) == "starts now");
  Json selective = pod_spec(1);
  selective["nodeSelector"] = {{"type", "a100"}};
  CHECK(outlook(selective, 1, {node("a", 8)}) == "cannot run: no node has type=a100");
  CHECK(outlook(selective, 1, {node("a", 8, Json::object(), {{"type", "a100"}})}) == "starts now");
  Json affine = pod_spec(1);
  affine["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"] =
      Json::array({{{"matchExpressions",
                     Json::array({{{"key", "type"}, {"operator", "In"}, {"values", {"a100"}}}})}}});
  CHECK(outlook(affine, 1, {node("a", 8)}) ==
        "cannot run: no node has the labels that the pod's node affinity requires");
  Json elsewhere = pod_spec(1);
  elsewhere["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
           ["nodeSelectorTerms"] = Json::parse(
               R"([{"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["a"]}]}])");
  CHECK(outlook(elsewhere, 1, {node("b", 8)}) == "starts now");
  CHECK(outlook(elsewhere, 1, {node("a", 8)}) ==
        "cannot run: no node has the labels that the pod's node affinity requires");
}

}  // namespace node_fit_test
