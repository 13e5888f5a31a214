#include <doctest/doctest.h>

#include "job/why/causes.h"
#include "job/why/objects.h"

namespace scheduling_cause_test {

using namespace kml;
using namespace kml::test;

namespace {

constexpr const char* kNoGpu =
    "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. preemption: 0/2 nodes are available: 2 No "
    "preemption "
    "victims found for incoming pod.";

job::Cause by_message(const std::string& message) {
  const Json bert = make_job("bert", 1);
  return Known(bert, {unschedulable(make_pod(bert), message)}).cause();
}

Json other(const std::string& name, const std::string& on, int gpus, int priority = 0,
           const std::string& user = "") {
  Json its = on_node(make_pod(make_job(name, gpus)), on);
  its["spec"]["priority"] = priority;
  if (!user.empty()) its["metadata"]["labels"]["kml.dev/user"] = user;
  return its;
}

/// A job with one pod that requests `gpus`, with these nodes and running pods.
struct OnNodes {
  OnNodes(int gpus, std::vector<Json> nodes, std::vector<Json> pods = {}, const Json& spec = Json::object())
      : known(make_job("bert", gpus), {unschedulable(make_pod(patched(gpus, spec)), kNoGpu)}) {
    known.facts.nodes = std::move(nodes);
    known.facts.active_pods = std::move(pods);
    known.facts.priorities = std::vector<Json>{};
  }
  static Json patched(int gpus, const Json& spec) {
    Json bert = make_job("bert", gpus);
    bert["spec"]["template"]["spec"].update(spec);
    return bert;
  }
  Known known;
};

const Json kTainted =
    parse_json(R"({"taints": [{"key": "dedicated", "value": "team", "effect": "NoSchedule"}]})", "taints");

}  // namespace

TEST_CASE("why: the scheduler's message is split into its reasons, even if a reason has a comma") {
  const auto parsed = job::parse_scheduler_message(
      "0/7 nodes are available: 1 node(s) had taint {a: b}, that the pod didn't tolerate, 1 node(s) had "
      "untolerated taint "
      "{node.kubernetes.io/not-ready: }, 2 Insufficient nvidia.com/gpu, 3 node(s) didn't match Pod's node "
      "affinity/selector. "
      "preemption: 0/7 nodes are available: 7 Preemption is not helpful for scheduling.");
  using Kind = job::SchedulerMessage::Kind;
  REQUIRE(parsed.reasons.size() == 4);
  CHECK(parsed.reasons[0].kind == Kind::taint);
  CHECK(parsed.reasons[0].detail == "a: b");
  CHECK(parsed.reasons[1].kind == Kind::not_ready);
  CHECK(parsed.reasons[2].nodes == 2);
  CHECK(parsed.reasons[2].detail == "nvidia.com/gpu");
  CHECK(parsed.reasons[3].kind == Kind::labels);
  CHECK(parsed.preemption_cannot_help);
}

TEST_CASE("why: with only the scheduler's message, one reason is named, several are counted") {
  CHECK(by_message(kNoGpu).code == CauseCode::resources_held);
  CHECK(by_message(kNoGpu).brief == "not enough GPUs free on 2 nodes");
  CHECK(by_message("0/1 nodes are available: 1 node(s) had untolerated taint {dedicated: team}.").code ==
        CauseCode::taint);
  CHECK(by_message("0/1 nodes are available: 1 node(s) had untolerated taint {dedicated: team}.").brief ==
        "taint dedicated=team on 1 node");
  CHECK(
      by_message("0/20 nodes are available: 1 node(s) were unschedulable, 11 node(s) didn't match Pod's node "
                 "affinity/selector, 2 node(s) had untolerated taint(s), 6 Insufficient nvidia.com/gpu.")
          .brief ==
      "not enough GPUs free on 6 nodes, 2 nodes tainted, 1 node cordoned, 11 nodes without the requested "
      "labels");
  CHECK(by_message("0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.").code ==
        CauseCode::node_selector);
  CHECK(by_message("0/1 nodes are available: 1 node(s) were unschedulable.").code == CauseCode::cordoned);
  CHECK(by_message(
            "0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }.")
            .code == CauseCode::nodes_not_ready);
  CHECK(by_message("0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.")
            .code == CauseCode::host_port);
  CHECK(by_message("0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.").code ==
        CauseCode::pod_affinity);
  CHECK(by_message("0/1 nodes are available: 1 node(s) had volume node affinity conflict.").code ==
        CauseCode::volume_place);
  CHECK(by_message("0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.").code ==
        CauseCode::unschedulable);
}

TEST_CASE("why: the scheduler's message alone distinguishes a job that never fits from one that waits") {
  constexpr const char* kNever =
      " preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";
  constexpr const char* kSome =
      " preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is "
      "not helpful for scheduling.";
  struct Row {
    std::string reasons, preemption;
    job::Outlook outlook;
    CauseCode code;
    std::string brief;
  };
  using enum job::Outlook;
  for (const auto& [reasons, preemption, outlook, code, brief] :
       {Row{"3 Insufficient nvidia.com/gpu.", kNever, never, CauseCode::too_large, "no node has enough GPUs"},
        Row{"3 Insufficient nvidia.com/gpu.", kSome, waits, CauseCode::resources_held,
            "not enough GPUs free on 3 nodes"},
        Row{"3 Insufficient nvidia.com/gpu.", "", waits, CauseCode::resources_held,
            "not enough GPUs free on 3 nodes"},
        Row{"3 Insufficient cpu, 3 Insufficient memory.", kNever, never, CauseCode::too_large,
            "no node has enough cpu and memory"},
        Row{"1 node(s) had untolerated taint {dedicated: team}, 2 Insufficient nvidia.com/gpu.", kNever,
            never, CauseCode::unschedulable, "not enough GPUs on 2 nodes, taint dedicated=team on 1 node"},
        Row{"1 node(s) were unschedulable, 2 Insufficient nvidia.com/gpu.", kNever, waits,
            CauseCode::unschedulable, "not enough GPUs free on 2 nodes, 1 node cordoned"},
        Row{"3 node(s) didn't match Pod's node affinity/selector.", kNever, never, CauseCode::node_selector,
            "3 nodes without the requested labels"}}) {
    CAPTURE(reasons + preemption);
    const job::Cause cause = by_message("0/3 nodes are available: " + reasons + preemption);
    CHECK(cause.outlook == outlook);
    CHECK(cause.code == code);
    CHECK(cause.brief == brief);
  }
}

TEST_CASE("why: a volume claim that does not exist, or is not bound, is reported") {
  const Json bert = make_job("bert");
  const auto missing =
      by_message("0/1 nodes are available: persistentvolumeclaim \"data\" not found. not found");
  CHECK(missing.code == CauseCode::volume_missing);
  CHECK(missing.outlook == job::Outlook::never);
  CHECK(missing.summary == "volume claim data does not exist in namespace lab");

  const auto leaving =
      by_message("0/11 nodes are available: persistentvolumeclaim \"data\" is being deleted. not found");
  CHECK(leaving.code == CauseCode::volume_missing);
  CHECK(leaving.outlook == job::Outlook::never);
  CHECK(leaving.summary == "volume claim data is being deleted in namespace lab");
  // A claim that still exists cannot be created.
  for (const job::Remedy& remedy : leaving.remedies) CHECK(remedy.command == "kml list claims -n lab");

  Json mounts = make_pod(bert);
  mounts["spec"]["volumes"] = parse_json(R"([{"persistentVolumeClaim": {"claimName": "data"}}])", "volumes");
  Known known(
      bert,
      {unschedulable(mounts, "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.")});
  known.facts.claims = std::vector<Json>{parse_json(
      R"({"metadata": {"name": "data", "namespace": "lab", "uid": "c"}, "status": {"phase": "Pending"},
          "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "5Gi"}}}})",
      "claim")};
  known.facts.events = std::vector<Json>{
      event(known.facts.claims->at(0), "ProvisioningFailed", "storageclass \"fast\" not found")};
  CHECK(known.cause().code == CauseCode::volume_pending);
  CHECK(known.cause().summary ==
        "volume claim data (5Gi, storage class fast) is not bound to a volume: storageclass \"fast\" not "
        "found");
  known.facts.claims->at(0)["status"]["phase"] = "Bound";
  CHECK(known.cause().code == CauseCode::scheduling);
  known.facts.claims->clear();
  CHECK(known.cause().code == CauseCode::volume_pending);
}

TEST_CASE(
    "why: scheduling gates, a nominated node, and a pod that no scheduler has handled are separate causes") {
  const Json bert = make_job("bert");
  Json gated = unschedulable(make_pod(bert), "Scheduling is blocked due to non-empty scheduling gates",
                             "SchedulingGated");
  gated["spec"]["schedulingGates"] = parse_json(R"([{"name": "example.com/quota"}])", "gates");
  CHECK(Known(bert, {gated}).cause().code == CauseCode::scheduling_gate);
  CHECK(Known(bert, {gated}).cause().summary.find("example.com/quota") != std::string::npos);
  Json nominated = unschedulable(make_pod(bert), kNoGpu);
  nominated["status"]["nominatedNodeName"] = "gpu-3";
  CHECK(Known(bert, {nominated}).cause().code == CauseCode::preempting);
  CHECK(Known(bert, {nominated}).cause().summary.find("gpu-3") != std::string::npos);
  CHECK(Known(bert, {make_pod(bert)}).cause().code == CauseCode::scheduling);
  const Json behind =
      unschedulable(make_pod(bert),
                    "running PreFilter plugin \"VolumeBinding\": error getting PVC \"lab/data\": "
                    "could not find v1.PersistentVolumeClaim \"lab/data\"",
                    "SchedulerError");
  CHECK(Known(bert, {behind}).cause().code == CauseCode::scheduling);
  CHECK(Known(bert, {behind}).cause().summary.find("could not find") != std::string::npos);
}

TEST_CASE("why: held resources are explained in numbers, with the holders and a command that frees enough") {
  OnNodes held(4, {node("a", 8), node("b", 4)},
               {other("gpt", "a", 6, 0, "ana"), other("t5", "b", 3, 10), other("tiny", "a", 1)});
  const job::Cause cause = held.known.cause();
  CHECK(cause.code == CauseCode::resources_held);
  CHECK(cause.outlook == job::Outlook::waits);
  CHECK(cause.summary == "needs 3 GPUs more: a pod asks for 4 GPUs; at most 1 of 8 GPUs are free on a node");
  REQUIRE(cause.holders.size() == 3);
  CHECK(cause.holders[0].name == "gpt");
  CHECK(cause.holders[0].user == "ana");
  CHECK(cause.holders[0].amount == 6000);
  CHECK(cause.remedies.at(0).command == "kml cancel gpt");
}

TEST_CASE("why: if no node has enough of a resource, the job cannot start") {
  const job::Cause cause = OnNodes(16, {node("a", 8), node("b", 4)}).known.cause();
  CHECK(cause.code == CauseCode::too_large);
  CHECK(cause.outlook == job::Outlook::never);
  CHECK(cause.summary ==
        "no current node is large enough: a pod asks for 16 GPUs, the largest node has 8 GPUs");
  CHECK(cause.remedies.at(0).command == "kml submit --gpus 8 …");
  CHECK(OnNodes(1, {node("a", 0)}).known.cause().summary == "no node has GPUs: a pod asks for 1 GPU");
}

TEST_CASE("why: labels, taints, cordons and nodes that are not ready are reported, with the nearest node") {
  const Json zone = {{"nodeSelector", {{"zone", "b"}}}};
  CHECK(OnNodes(1, {node("a", 8)}, {}, zone).known.cause().summary == "no node has zone=b");
  CHECK(OnNodes(1, {node("a", 8)}, {}, zone).known.cause().remedies.at(1).what ==
        "or ask an administrator to put the label zone=b on node a");
  // The node's label has a different value, which should not be changed.
  const Json elsewhere = node("a", 8, Json::object(), {{"zone", "a"}});
  const job::Cause other_zone = OnNodes(1, {elsewhere, node("b", 8)}, {}, zone).known.cause();
  CHECK(other_zone.summary == "no node has zone=b; nodes have zone=a");
  CHECK(other_zone.remedies.at(0).command == "kml submit --node-selector zone=a …");
  CHECK(other_zone.remedies.at(1).what == "or ask an administrator to put the label zone=b on node b");
  // The message names a similar key with all its values. It does not report a label as missing if some nodes
  // have it.
  const Json c = node("c", 8, Json::object(), {{"zones", "c"}, {"disk", "ssd"}}),
             d = node("d", 8, Json::object(), {{"zones", "d"}});
  CHECK(OnNodes(1, {c, d}, {}, zone).known.cause().summary ==
        "no node has zone=b; nodes have zones=c, zones=d");
  const Json both = {{"nodeSelector", {{"zones", "d"}, {"disk", "ssd"}}}};
  CHECK(OnNodes(1, {c, d}, {}, both).known.cause().summary ==
        "no node has all the labels that it asks for; node d comes closest, but lacks disk=ssd");
  // Nodes without the label are ignored, although they have GPUs.
  CHECK(OnNodes(4, {node("a", 8), node("b", 2, Json::object(), {{"zone", "b"}})}, {}, zone)
            .known.cause()
            .code == CauseCode::too_large);

  const job::Cause tainted = OnNodes(4, {node("a", 8, kTainted), node("cpu", 0)}).known.cause();
  CHECK(tainted.code == CauseCode::taint);
  CHECK(tainted.summary == "node a would fit, but is reserved by the taint dedicated=team:NoSchedule");
  CHECK(tainted.remedies.at(0).command == "kml submit --toleration dedicated=team:NoSchedule …");
  CHECK(tainted.remedies.at(1).what ==
        "or ask an administrator to remove the taint dedicated=team:NoSchedule from node a");

  CHECK(OnNodes(4, {node("a", 8, {{"unschedulable", true}}), node("cpu", 0)}).known.cause().code ==
        CauseCode::cordoned);
  Json away = node("a", 8);
  away["status"]["conditions"] = parse_json(R"([{"type": "Ready", "status": "Unknown"}])", "conditions");
  CHECK(OnNodes(4, {away}).known.cause().code == CauseCode::nodes_not_ready);
  CHECK(OnNodes(4, {}).known.cause().code == CauseCode::no_nodes);
  CHECK(OnNodes(4, {node("a", 8)}).known.cause().code == CauseCode::scheduling);
}

TEST_CASE("why: if no GPU has enough memory, the cause names the largest") {
  const auto expression = [](const char* key, const char* how, const char* value) {
    return Json{{"matchExpressions",
                 Json::array({{{"key", key}, {"operator", how}, {"values", Json::array({value})}}})}};
  };
  const Json memory = expression("nvidia.com/gpu.memory", "Gt", "81919"),
             odd = expression("nvidia.com/gpu.memory", "Gt", "81999"),
             h200 = expression("nvidia.com/gpu.product", "In", "NVIDIA-H200"),
             zone = expression("zone", "In", "b");
  const Json small = node("a", 8, Json::object(), {{"nvidia.com/gpu.memory", "40960"}}),
             large = node("b", 8, Json::object(), {{"nvidia.com/gpu.memory", "81559"}}),
             unknown = node("c", 8);
  struct Case {
    std::vector<Json> terms, nodes;
    std::string summary, command;
  };
  const std::string most = "; the largest GPU has 81559 MiB";
  const std::vector<Case> cases = {
      {{memory},
       {small, large},
       "no node has GPUs with 80 GiB (81920 MiB) of memory" + most,
       "'>=81559Mi:N'"},
      {{odd}, {large}, "no node has GPUs with 82000 MiB of memory" + most, "'>=81559Mi:N'"},
      {{h200, memory},
       {large},
       "no node has GPUs of type h200 or with 80 GiB (81920 MiB) of memory" + most,
       "'>=81559Mi:N'"},
      {{memory},
       {unknown},
       "no node has GPUs with 80 GiB (81920 MiB) of memory; no node has the label nvidia.com/gpu.memory",
       "TYPE:N"}};
  const auto cause_of = [](const std::vector<Json>& terms, const std::vector<Json>& nodes) {
    Json spec;
    spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"] =
        terms;
    return OnNodes(1, nodes, {}, spec).known.cause();
  };
  for (const Case& each : cases) {
    const job::Cause cause = cause_of(each.terms, each.nodes);
    CHECK(cause.summary == each.summary);
    CHECK(cause.remedies.at(0).command == "kml submit --gpus " + each.command + " …");
  }
  CHECK(cause_of({memory, zone}, {large}).summary.find("memory") == std::string::npos);
}

TEST_CASE("why: kml reports whether a higher priority helps, and which one") {
  OnNodes held(4, {node("a", 4)}, {other("gpt", "a", 4, 100)});
  CHECK(held.known.cause().priority ==
        "a priority above 100 could preempt, but no priority class is that high; its own is 0");
  held.known.facts.priorities = std::vector<Json>{{{"metadata", {{"name", "high"}}}, {"value", 1000}},
                                                  {{"metadata", {{"name", "mid"}}}, {"value", 101}},
                                                  {{"metadata", {{"name", "shy"}}}, {"value", 100}}};
  CHECK(held.known.cause().priority ==
        "a priority above 100 could preempt, and --priority mid has 101; its own is 0");
  OnNodes strong(4, {node("a", 4)}, {other("gpt", "a", 4, 0)}, {{"priority", 10}});
  CHECK(strong.known.cause().priority == "its priority, 10, is enough to preempt pods of priority 0");
  OnNodes shy(4, {node("a", 4)}, {other("gpt", "a", 4, 0)},
              {{"priority", 10}, {"preemptionPolicy", "Never"}});
  CHECK(shy.known.cause().priority ==
        "its priority, 10, would be enough, but its priority class does not preempt");
}

TEST_CASE("why: several jobs are named if one is not enough, with the namespace if it differs") {
  Json far = other("far", "a", 2);
  far["metadata"]["namespace"] = "prod";
  OnNodes held(4, {node("a", 4)}, {far, other("near", "a", 2)});
  CHECK(held.known.cause().remedies.at(0).command == "kml cancel near && kml cancel -n prod far");
}

TEST_CASE("why: a job whose own pods fill the nodes waits for them; if they are a gang, it never starts") {
  Json array = make_job("array", 1);
  array["spec"]["parallelism"] = 3;
  const Json runs = on_node(make_pod(array, "0"), "a");
  Known known(array, {runs, unschedulable(make_pod(array, "1"), kNoGpu),
                      unschedulable(make_pod(array, "2"), kNoGpu)});
  known.facts.nodes = std::vector<Json>{node("a", 1)};
  known.facts.active_pods = std::vector<Json>{runs};
  CHECK(known.cause().brief == "its other pods come first");
  CHECK(known.cause().pods == 2);

  Json gang = make_job("gang", 3);
  gang["apiVersion"] = "kubeflow.org/v2beta1";
  gang["kind"] = "MPIJob";
  const auto worker = [&](const std::string& index) {
    Json pod = make_pod(gang, "worker-" + index);
    pod["metadata"]["ownerReferences"] = controlled_by("gang", "job-uid", "kubeflow.org/v2beta1", "MPIJob");
    return pod;
  };
  const Json first = on_node(worker("0"), "a");
  Known never(gang, {first, unschedulable(worker("1"), kNoGpu)});
  never.facts.nodes = std::vector<Json>{node("a", 4)};
  never.facts.active_pods = std::vector<Json>{first};
  CHECK(never.cause().code == CauseCode::too_large);
  CHECK(never.cause().summary == "1 of its pods would not fit even if no other job were running");
  CHECK(never.cause().holders.empty());  // the job itself is not a holder
  CHECK(never.cause().remedies.at(0).command == "kml submit --nodes N …");
}

TEST_CASE("why: once a node has room, an earlier message whose reasons kml can check is ignored") {
  const Json bert = make_job("bert", 1);
  const auto code_after = [&](const std::string& message) {
    Known known(bert, {unschedulable(make_pod(bert), message)});
    known.facts.nodes = std::vector<Json>{node("a", 8)};
    known.facts.active_pods = std::vector<Json>{};
    return known.cause().code;
  };
  CHECK(code_after(
            "0/4 nodes are available: 3 node(s) had untolerated taint(s), 1 node(s) were unschedulable.") ==
        CauseCode::scheduling);
  CHECK(code_after(
            "0/4 nodes are available: 3 node(s) had untolerated taint(s), 1 node(s) don't fit a plugin.") ==
        CauseCode::unschedulable);
}

TEST_CASE("why: in a cluster that can grow, a job may start later") {
  OnNodes grows(16, {node("a", 8)});
  const Json& its = grows.known.pods[0];
  grows.known.facts.events =
      std::vector<Json>{event(its, "TriggeredScaleUp", "pod triggered scale-up: [{pool 1->2 (max: 3)}]")};
  CHECK(grows.known.cause().code == CauseCode::scaling_up);
  CHECK(grows.known.cause().outlook == job::Outlook::starting);
  CHECK(grows.known.cause().summary.find("no current node") != std::string::npos);
  grows.known.facts.events->push_back(event(its, "NotTriggerScaleUp",
                                            "pod didn't trigger scale-up: 1 max node group size reached",
                                            "2026-01-01T00:02:00Z"));
  CHECK(grows.known.cause().code == CauseCode::too_large);
  CHECK(grows.known.cause().outlook == job::Outlook::waits);
  grows.known.facts.events->push_back(event(its, "NotTriggerScaleUp",
                                            "pod didn't trigger scale-up: 1 Insufficient nvidia.com/gpu",
                                            "2026-01-01T00:03:00Z"));
  CHECK(grows.known.cause().outlook == job::Outlook::never);
}

TEST_CASE("why: a user who may read nodes but not all pods gets the facts that the nodes show") {
  OnNodes blind(16, {node("a", 8)});
  blind.known.facts.active_pods.reset();
  CHECK(blind.known.cause().code == CauseCode::too_large);
  OnNodes held(4, {node("a", 8)});
  held.known.facts.active_pods.reset();
  CHECK(held.known.cause().brief == "not enough GPUs free on 2 nodes");
}

}  // namespace scheduling_cause_test
