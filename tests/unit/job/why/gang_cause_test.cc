#include <doctest/doctest.h>

#include "job/why/causes.h"
#include "job/why/objects.h"
#include "kml/base/text.h"
#include "kml/kube/objects/gang.h"

namespace gang_cause_test {

using namespace kml;
using namespace kml::test;

namespace {

Json other(const std::string& name, const std::string& on, int gpus) {
  return on_node(make_pod(make_job(name, gpus)), on);
}

}  // namespace

namespace {

/// The pods of a job that start together by PodGroup g.
std::vector<Json> gang(const Json& job, int pods) {
  std::vector<Json> made;
  for (int i = 0; i < pods; ++i) {
    made.push_back(make_pod(job, std::to_string(i)));
    made.back()["spec"]["schedulingGroup"] = {{"podGroupName", "g"}};
  }
  return made;
}

Json pod_group(int size) {
  return {{"metadata", {{"name", "g"}}}, {"spec", {{"schedulingPolicy", {{"gang", {{"minCount", size}}}}}}}};
}

}  // namespace

TEST_CASE("why: a gang says how many of its pods have no room") {
  Json bert = make_job("bert", 8);
  bert["spec"].update({{"parallelism", 3}, {"completions", 3}});
  // as Kubernetes 1.37 reports it: only one pod has the reason
  std::vector<Json> pods = gang(bert, 3);
  pods[0] =
      unschedulable(pods[0],
                    "pod group is unschedulable, minCount (3) cannot be satisfied: 1 scheduled, 1 "
                    "remaining, pod group preemption: No preemption victims found for incoming preemptor");
  pods[1] = unschedulable(pods[1], "minCount (3) cannot be satisfied: 1 scheduled, 1 remaining");
  pods[2] = unschedulable(pods[2], "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.");
  Known known(bert, pods);
  CHECK(job::causes_of(known.facts).size() == 1);
  CHECK(known.cause().brief == "no room for 2 of 3 pods: not enough GPUs free on 2 nodes");
  // Lists for tables leave out this field, too.
  for (Json& pod : pods) pod["spec"].erase("schedulingGroup");
  CHECK(Known(bert, pods).cause().brief == known.cause().brief);
  known.facts.priorities = std::vector<Json>{};
  known.facts.nodes = std::vector<Json>{node("a", 8), node("b", 8), node("c", 8)};
  known.facts.active_pods = std::vector<Json>{other("gpt", "a", 8), other("gpt", "b", 8)};
  CHECK(known.cause().code == CauseCode::resources_held);
  CHECK(known.cause().summary.starts_with(
      "its 3 pods only start together, and 2 of them have no room: needs 16 GPUs more"));
  known.facts.nodes->pop_back();
  CHECK(known.cause().code == CauseCode::too_large);
  CHECK(known.cause().outlook == job::Outlook::never);
}

TEST_CASE("why: for a gang that needs one rack, kml says how many of its pods the best rack has room for") {
  Json bert = make_job("bert", 8);
  bert["spec"].update({{"parallelism", 3}, {"completions", 3}});
  std::vector<Json> pods = gang(bert, 3);
  // as Kubernetes 1.37 reports it, with TopologyAwareWorkloadScheduling
  pods[0] = unschedulable(pods[0],
                          "0/2 placements are available, first placement status: minCount (3) cannot be "
                          "satisfied: 2 scheduled, 0 remaining");
  pods[1] = unschedulable(pods[1], "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.");
  Known known(bert, pods);
  CHECK(known.cause().brief == "no topology domain has room for its 3 pods");
  // If Kubernetes obeys topologies, it reports a gang without a topology in the same way.
  Json group = pod_group(3);
  known.facts.native_groups = std::vector<Json>{group};
  CHECK(known.cause().brief == "no room for 1 of 3 pods: not enough GPUs free on 2 nodes");
  group["spec"]["schedulingConstraints"]["topology"] = Json::array({{{"key", "team/rack"}}});
  known.facts.native_groups = std::vector<Json>{group};
  known.facts.priorities = std::vector<Json>{};
  const auto in_rack = [](const std::string& name, const std::string& rack) {
    Json made = node(name, 8);
    made["metadata"]["labels"]["team/rack"] = rack;
    return made;
  };
  known.facts.nodes =
      std::vector<Json>{in_rack("a", "r1"), in_rack("b", "r1"), in_rack("c", "r2"), in_rack("d", "r1")};
  known.facts.active_pods = std::vector<Json>{other("gpt", "a", 8)};
  CHECK(known.cause().code == CauseCode::resources_held);
  CHECK(known.cause().summary ==
        "its 3 pods must be in one rack (team/rack), and none has room for more than 2 of them now");
  known.facts.active_pods->clear();
  CHECK(known.cause().code == CauseCode::scheduling);
  known.facts.nodes->pop_back();
  CHECK(known.cause().code == CauseCode::too_large);
  CHECK(known.cause().summary ==
        "its 3 pods must be in one rack (team/rack), and even an empty one has room for at most 2");
  known.facts.nodes = std::vector<Json>{node("a", 8)};
  CHECK(known.cause().summary == "its 3 pods must be in one rack (team/rack), and no node has this label");
}

TEST_CASE("why: a gang does not start if some of its pods, or its PodGroup, do not exist") {
  const Json bert = make_job("bert");
  Known known(bert, gang(bert, 2));
  CHECK(known.cause().code == CauseCode::scheduling);
  known.facts.native_groups = std::vector<Json>{pod_group(3)};
  CHECK(known.cause().code == CauseCode::gang_incomplete);
  CHECK(known.cause().brief == "its gang is short of 1 pod");
  known.facts.native_groups = std::vector<Json>{pod_group(2)};
  CHECK(known.cause().code == CauseCode::scheduling);
  known.facts.native_groups = std::vector<Json>{};
  CHECK(known.cause().summary == "its pods wait for PodGroup g, which does not exist");
  CHECK(known.cause().outlook == job::Outlook::never);
}

namespace {

Json devices(const std::string& on, const std::string& product, int count,
             const Json& taints = Json::array()) {
  Json slice = {
      {"spec",
       {{"driver", "gpu.nvidia.com"}, {"nodeName", on}, {"pool", {{"name", on}, {"generation", 1}}}}}};
  for (int i = 0; i < count; ++i)
    slice["spec"]["devices"].push_back({{"name", "gpu-" + std::to_string(i)},
                                        {"attributes", {{"productName", {{"string", product}}}}},
                                        {"capacity", {{"memory", {{"value", "80Gi"}}}}},
                                        {"taints", taints}});
  return slice;
}

/// The claim of pod `user`, to which `count` devices of node `from` are allocated.
Json claim(const std::string& name, const Json& requests, const std::string& user,
           const std::string& from = "", int count = 0) {
  Json made = {{"metadata", {{"namespace", "lab"}, {"name", name}}},
               {"spec", {{"devices", {{"requests", requests}}}}}};
  for (int i = 0; i < count; ++i)
    made["status"]["allocation"]["devices"]["results"].push_back(
        {{"driver", "gpu.nvidia.com"}, {"pool", from}, {"device", "gpu-" + std::to_string(i)}});
  if (count > 0) made["status"]["reservedFor"] = {{{"resource", "pods"}, {"name", user}}};
  return made;
}

Json choice(const std::string& name, int count, const std::string& product) {
  return {
      {"name", name},
      {"count", count},
      {"selectors",
       {{{"cel",
          {{"expression", "device.attributes[\"gpu.nvidia.com\"].productName.replace(\" \", \"-\") in [\"" +
                              product + "\"]"}}}}}}};
}

}  // namespace

TEST_CASE(
    "why: a resource claim that no node can satisfy is explained with the holders of the devices, or their "
    "taint") {
  const Json bert = make_job("bert");
  Json its = unschedulable(make_pod(bert), "0/2 nodes are available: 2 cannot allocate all claims.");
  its["spec"]["resourceClaims"] = {{{"name", "kml-gpus"}, {"resourceClaimTemplateName", "t"}}};
  its["status"]["resourceClaimStatuses"] = {{{"name", "kml-gpus"}, {"resourceClaimName", "c"}}};
  Known known(bert, {its});
  CHECK(known.cause().code == CauseCode::claim_pending);
  const Json requests = {
      {{"name", "gpus"},
       {"firstAvailable", {choice("h100", 2, "NVIDIA-H100"), choice("a100", 1, "NVIDIA-A100")}}}};
  known.facts.resource_claims =
      std::vector<Json>{claim("c", requests, "bert-0"), claim("d", requests, "gpt-0", "a", 2)};
  known.facts.active_pods = std::vector<Json>{other("gpt", "a", 0)};
  SUBCASE("in use") {
    known.facts.slices = std::vector<Json>{devices("a", "NVIDIA H100", 2)};
    CHECK(known.cause().summary ==
          "no node can satisfy its resource claim c: 2 × h100: 2 of 2 are in use; 1 × a100: no node has such "
          "devices");
    REQUIRE(known.cause().holders.size() == 1);
    CHECK(known.cause().remedies[0].command == "kml cancel gpt");
  }
  SUBCASE("tainted") {
    const Json taints = {{{"key", "dra/unhealthy"}, {"value", "xid"}, {"effect", "NoSchedule"}}};
    known.facts.slices =
        std::vector<Json>{devices("a", "NVIDIA H100", 2), devices("b", "NVIDIA A100", 1, taints)};
    CHECK(known.cause().code == CauseCode::device_tainted);
    CHECK(known.cause().summary.ends_with("1 × a100: taint dra/unhealthy=xid:NoSchedule on b"));
  }
  SUBCASE("too few on any node") {
    known.facts.slices = std::vector<Json>{devices("a", "NVIDIA H100", 1), devices("b", "NVIDIA H100", 1)};
    CHECK(known.cause().outlook == job::Outlook::never);
    CHECK(known.cause().summary.find("2 × h100: no node has more than 1") != std::string::npos);
  }
}

TEST_CASE(
    "why: to free devices, kml suggests cancelling as few jobs as possible, and none if that may not be "
    "enough") {
  const Json bert = make_job("bert");
  Json its = unschedulable(make_pod(bert), "0/2 nodes are available: 2 cannot allocate all claims.");
  its["spec"]["resourceClaims"] = {{{"name", "kml-gpus"}, {"resourceClaimTemplateName", "t"}}};
  its["status"]["resourceClaimStatuses"] = {{{"name", "kml-gpus"}, {"resourceClaimName", "c"}}};
  const auto wanted = [](int count) {
    return Json{{{"name", "gpus"}, {"firstAvailable", {choice("h100", count, "NVIDIA-H100")}}}};
  };
  Known known(bert, {its});
  known.facts.slices = std::vector<Json>{devices("a", "NVIDIA H100", 4), devices("b", "NVIDIA H100", 2)};
  known.facts.active_pods =
      std::vector<Json>{other("one", "a", 0), other("two", "a", 0), other("three", "b", 0), its};
  Json second = claim("e", wanted(2), "two-0", "a", 2);
  for (int i = 0; i < 2; ++i)
    second["status"]["allocation"]["devices"]["results"][i]["device"] = "gpu-" + std::to_string(2 + i);
  const auto remedy_for = [&](int count) {
    known.facts.resource_claims =
        std::vector<Json>{claim("c", wanted(count), "bert-0"), claim("d", wanted(2), "one-0", "a", 2), second,
                          claim("f", wanted(2), "three-0", "b", 2)};
    return known.cause().remedies.at(0).command;
  };
  CHECK(remedy_for(2) == "kml cancel one");
  CHECK(remedy_for(4) == "kml cancel one two");
  // a pod of another job, which may take the devices
  Json rival = make_pod(make_job("rival"));
  rival["spec"]["resourceClaims"] = its["spec"]["resourceClaims"];
  known.facts.active_pods->push_back(rival);
  CHECK(remedy_for(2).empty());
  known.facts.active_pods->pop_back();
  // a holder that is unknown, and a node that lacks something else
  known.facts.active_pods->erase(known.facts.active_pods->begin());
  CHECK(remedy_for(4).empty());
  CHECK(remedy_for(2) == "kml cancel two");
  known.facts.active_pods->insert(known.facts.active_pods->begin(), other("one", "a", 0));
  known.pods[0]["status"]["conditions"][0]["message"] =
      "0/2 nodes are available: 1 cannot allocate all claims, 1 Insufficient cpu.";
  CHECK(remedy_for(2).empty());
}

TEST_CASE("why: if a gang preempts, the event names its PodGroup, and kml why names its job") {
  const Json bert = make_job("bert", 1);
  const Json victim =
      with_condition(on_node(make_pod(bert), "gpu-1", "Failed"), "DisruptionTarget", "PreemptionByScheduler");
  Json preemptor = on_node(make_pod(make_job("urgent", 1)), "gpu-1");
  preemptor["spec"]["schedulingGroup"]["podGroupName"] = "urgent-1234";
  Json preempted = event(victim, "Preempted", "Preempted by podgroup 0c1f on node gpu-1");
  preempted["related"] = {
      {"kind", "PodGroup"}, {"namespace", preemptor["metadata"]["namespace"]}, {"name", "urgent-1234"}};
  Known known(bert, {victim});
  known.facts.active_pods = std::vector<Json>{preemptor};
  known.facts.events = std::vector<Json>{preempted};
  CHECK(known.cause().summary == "pod bert-0 on node gpu-1 was stopped for urgent");
  known.facts.events->at(0)["related"]["name"] = "another";
  CHECK(known.cause().summary ==
        "pod bert-0 on node gpu-1 was stopped for a higher-priority pod that kml cannot find");

  // The pod is gone, and the event does not say on which node it was.
  const Json gone = {{"metadata", {{"uid", "gone"}}}};
  Json old = event(gone, "Preempted", "Preempted by podgroup 0c1f on node cluster");
  old["involvedObject"]["name"] = "bert-old";
  old["related"] = preempted["related"];
  Known later(bert, {unschedulable(make_pod(bert, "new"),
                                   "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")});
  later.facts.active_pods = std::vector<Json>{preemptor};
  later.facts.events = std::vector<Json>{event(bert, "SuccessfulCreate", "Created pod: bert-old"), old};
  const auto causes = job::causes_of(later.facts);
  REQUIRE(causes.size() == 2);
  CHECK(causes[1].summary == "pod bert-old was stopped for urgent");
}

TEST_CASE("why: if ranks fail together, kml counts their retries as the controller does") {
  const auto end = [](const std::string& reason, const Json& spec) {
    Json bert = with_condition(make_job("bert"), "Failed", reason);
    bert["spec"].update(spec);
    bert["status"]["failed"] = 4;
    Json failed = make_pod(bert);
    failed["status"] =
        parse_json(R"({"phase": "Failed", "containerStatuses": [{"name": "main", "image": "img:1",
      "state": {"terminated": {"exitCode": 3}}}]})",
                   "status");
    const std::string summary = Known(bert, {failed}).cause().summary;
    return summary.substr(summary.find("exit code"));
  };
  CHECK(end("BackoffLimitExceeded", {{"completions", 4}, {"backoffLimit", 3}}) ==
        "exit code 3; 4 failures of its pods used up its 3 retries");
  CHECK(end("BackoffLimitExceeded", {{"completions", 4}, {"backoffLimit", 1}}) ==
        "exit code 3; 4 failures of its pods used up its only retry");
  CHECK(end("BackoffLimitExceeded", {{"completions", 4}, {"backoffLimit", 0}}) ==
        "exit code 3; no retries were requested");
  CHECK(end("MaxFailedIndexesExceeded",
            {{"completions", 4}, {"backoffLimitPerIndex", 3}, {"maxFailedIndexes", 0}}) ==
        "exit code 3; all 3 retries are used up");
}

TEST_CASE("why: a failed rank without retries makes the job fail, but a failed task does not") {
  Json job = make_job("ranks");
  job["spec"].update({{"backoffLimit", 2147483647}, {"backoffLimitPerIndex", 1}});
  std::vector<Json> pods;
  for (const char* index : {"0", "3", "3"}) {
    Json pod = on_node(make_pod(job, index + std::string("-a") + std::to_string(pods.size())), "a", "Failed");
    pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"] = index;
    pod["status"]["containerStatuses"] =
        Json::array({{{"name", "main"}, {"state", {{"terminated", {{"exitCode", 1}}}}}}});
    pods.push_back(pod);
  }
  CHECK(Known(job, pods).cause().code == CauseCode::backoff);
  job["spec"]["maxFailedIndexes"] = 0;
  CHECK(Known(job, pods).cause().code == CauseCode::failing);
}

TEST_CASE("why: the job's own pods are not in the way of its other pods, whatever the priority") {
  const Json bert = make_job("own", 8);
  std::vector<Json> pods = {
      on_node(make_pod(bert, "0"), "a"),
      unschedulable(make_pod(bert, "1"), "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.")};
  Json high = on_node(make_pod(make_job("high", 8)), "b");
  high["spec"]["priority"] = 1000;
  Known known(bert, pods);
  known.facts.nodes = std::vector<Json>{node("a", 8), node("b", 8)};
  known.facts.active_pods = pods;
  known.facts.active_pods->push_back(high);
  CHECK(known.cause().priority == "a priority above 1000 could preempt; its own is 0");
}

TEST_CASE("gang: if only some of a gang's pods have room, the gang waits for room for the others") {
  struct Row {
    int each, size, base;
    std::vector<Json> nodes;
    std::string brief, numbers, command;
  };
  const std::vector<Row> rows = {
      {4,
       2,
       3,
       {node("a", 8)},
       "needs 3 GPUs more",
       "5 of 8 GPUs are free, enough for 1 of its 2 pods",
       "kml cancel base"},
      {2,
       4,
       1,
       {node("a", 8)},
       "needs 1 GPU more",
       "7 of 8 GPUs are free, enough for 3 of its 4 pods",
       "kml cancel base"},
      {8,
       2,
       1,
       {node("a", 8), node("b", 8)},
       "needs 1 GPU more",
       "15 of 16 GPUs are free, enough for 1 of its 2 pods",
       "kml cancel base"},
      {4,
       2,
       5,
       {node("a", 8)},
       "needs 5 GPUs more",
       "at most 3 of 8 GPUs are free on a node",
       "kml cancel base"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.numbers);
    const Json bert = make_job("own", row.each);
    std::vector<Json> pods;
    for (int i = 0; i < row.size; ++i) {
      pods.push_back(unschedulable(make_pod(bert, std::to_string(i)),
                                   "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."));
      pods.back()["metadata"]["annotations"][std::string(api::kGangSize)] = std::to_string(row.size);
    }
    Known known(bert, pods);
    known.facts.nodes = row.nodes;
    known.facts.active_pods = pods;
    known.facts.active_pods->push_back(on_node(make_pod(make_job("base", row.base)), "a"));
    const job::Cause cause = known.cause();
    CHECK(cause.brief == row.brief);
    CHECK(contains(cause.summary, row.numbers));
    CHECK(cause.outlook == job::Outlook::waits);
    CHECK(cause.remedies.at(0).command == row.command);
  }
}

}  // namespace gang_cause_test
