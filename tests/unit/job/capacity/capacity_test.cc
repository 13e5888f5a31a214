#include "kml/job/capacity/capacity.h"

#include <doctest/doctest.h>

#include "job/capacity/devices.h"
#include "kml/job/capacity/workloads.h"
#include "support/fake_transport.h"
#include "support/owner.h"

namespace capacity_test {

using namespace kml;
using namespace kml::job;

namespace {

Json node(const std::string& name, const Json& allocatable, const Json& labels = Json::object()) {
  return {{"metadata", {{"name", name}, {"labels", labels}}}, {"status", {{"allocatable", allocatable}}}};
}

Json gpu_node(const std::string& name, int gpus) {
  return node(name, {{"nvidia.com/gpu", std::to_string(gpus)}, {"cpu", "64"}});
}

Json pod_spec(const std::string& resource, int amount) {
  return {{"containers", Json::array({{{"resources", {{"limits", {{resource, std::to_string(amount)}}}}}}})}};
}

Json pod(const std::string& job, const std::string& on_node, int gpus, const std::string& phase = "Running") {
  Json spec = pod_spec("nvidia.com/gpu", gpus);
  spec["nodeName"] = on_node;
  return {{"metadata",
           {{"name", job + "-0"},
            {"namespace", "lab"},
            {"labels", {{"job-name", job}}},
            {"ownerReferences", controlled_by(job, "u")}}},
          {"spec", spec},
          {"status", {{"phase", phase}}}};
}

std::vector<NodeGpus> gpus_of_nodes(const std::vector<Json>& nodes, const std::vector<Json>& pods) {
  GpuCount count(nodes);
  for (const Json& pod : pods) count.add(pod, "lab/" + string_at(pod, {"metadata", "labels", "job-name"}));
  return count.nodes();
}

}  // namespace

TEST_CASE("capacity: running jobs hold a node's GPUs; pods that have ended or have no node do not") {
  const std::vector<Json> nodes = {gpu_node("a", 8), gpu_node("b", 4)};
  const std::vector<Json> pods = {pod("bert", "a", 2), pod("bert", "a", 2), pod("gpt", "a", 1),
                                  pod("old", "a", 8, "Succeeded"), pod("waits", "", 8)};
  const std::vector<NodeGpus> gpus = gpus_of_nodes(nodes, pods);
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[0].total == 8);
  CHECK(gpus[0].used == 5);
  CHECK(gpus[0].free() == 3);
  CHECK(gpus[0].held_by == std::map<std::string, int64_t>{{"lab/bert", 4}, {"lab/gpt", 1}});
  CHECK(gpus[1].used == 0);
}

TEST_CASE("capacity: an amount of memory is a number without an exponent") {
  constexpr int64_t kGib = int64_t{1000} << 30;  // amounts are in thousandths
  CHECK(amount_text("memory", kGib / 2) == "0.5 GiB of memory");
  CHECK(amount_text("limits.memory", 8 * kGib) == "8 GiB of memory");
  CHECK(amount_text("memory", 1024 * kGib) == "1024 GiB of memory");
}

TEST_CASE("capacity: nodes are sorted by the numbers in their names") {
  std::string order;
  for (const NodeGpus& gpus :
       gpus_of_nodes({gpu_node("gpu-10", 8), gpu_node("node1", 4), gpu_node("gpu-9", 8)}, {}))
    order += gpus.node + " ";
  CHECK(order == "gpu-9 gpu-10 node1 ");
}

TEST_CASE("capacity: MIG slices are a separate GPU type on a node") {
  const std::vector<Json> nodes = {
      node("a", {{"nvidia.com/gpu", "2"}, {"nvidia.com/mig-1g.5gb", "14"}, {"cpu", "64"}},
           {{"nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB"}})};
  Json slices = pod("small", "a", 0);
  slices["spec"]["containers"][0]["resources"]["limits"] = {{"nvidia.com/mig-1g.5gb", "3"}};
  const std::vector<NodeGpus> gpus = gpus_of_nodes(nodes, {slices});
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[0].type == "a100-80gb");
  CHECK(gpus[0].used == 0);
  CHECK(gpus[1].type == "mig-1g.5gb");
  CHECK(gpus[1].used == 3);
}

TEST_CASE("capacity: a node that accepts no new pods has nothing free") {
  Json cordoned = gpu_node("a", 8);
  cordoned["spec"]["unschedulable"] = true;
  cordoned["spec"]["taints"] =
      Json::parse(R"([{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"},
                                               {"key": "team", "value": "vision", "effect": "NoSchedule"}])");
  Json lost = gpu_node("b", 8);
  lost["status"]["conditions"] = Json::array({{{"type", "Ready"}, {"status", "Unknown"}}});
  const std::vector<NodeGpus> gpus = gpus_of_nodes({cordoned, lost}, {});
  CHECK(gpus[0].closed == "cordoned");
  CHECK(gpus[0].free() == 0);
  CHECK(gpus[0].taints == std::vector<std::string>{"team=vision:NoSchedule"});
  CHECK(gpus[1].closed == "not ready");
}

TEST_CASE("capacity: the gangs that could start now show how scattered the free GPUs are") {
  std::vector<NodeGpus> nodes(4);
  for (NodeGpus& node : nodes) node.total = 8;
  nodes[0].used = 8;
  nodes[1].used = 5;
  nodes[2].used = 6;
  const std::vector<Gang> gangs = largest_gangs(nodes);
  REQUIRE(gangs.size() == 4);
  const auto pods = [&](size_t i) { return gangs[i].pods; };
  CHECK(pods(0) == 13);
  CHECK(pods(1) == 6);
  CHECK(pods(2) == 2);
  CHECK(pods(3) == 1);
  CHECK(gangs[3].gpus_per_pod == 8);
  nodes[3].taints = {"nvidia.com/gpu=present:NoSchedule"};
  CHECK(largest_gangs(nodes)[3].pods == 1);
  nodes[3].taints = {"team=vision:NoSchedule"};
  CHECK(largest_gangs(nodes)[3].pods == 0);
}

TEST_CASE("capacity: a pod's GPU type is printed as --gpus accepts it") {
  CHECK(gpu_type_of_pod(pod_spec("nvidia.com/mig-1g.5gb", 1)) == "mig-1g.5gb");
  CHECK(gpu_type_of_pod(pod_spec("nvidia.com/gpu", 1)).empty());
  CHECK(gpu_type_of_pod(pod_spec("cpu", 1)).empty());
  Json selects = pod_spec("nvidia.com/gpu", 1);
  selects["nodeSelector"] = {{"nvidia.com/gpu.product", "Tesla-T4"}};
  CHECK(gpu_type_of_pod(selects) == "t4");
  Json prefers = pod_spec("nvidia.com/gpu", 1);
  prefers["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"] =
      Json::parse(R"([{"matchExpressions": [{"key": "nvidia.com/gpu.product", "operator": "In",
          "values": ["NVIDIA-H100-80GB-HBM3", "NVIDIA-H100-PCIe", "NVIDIA-H100-NVL"]}]},
                      {"matchExpressions": [{"key": "cloud.google.com/gke-accelerator", "operator": "In", "values": ["x"]}]}])");
  CHECK(gpu_type_of_pod(prefers) == "h100");
}

TEST_CASE("GPU types: a node's type comes from its label, or from its devices if all of them have one type") {
  const Json label = {{"nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB"}};
  const auto slice = [](const std::string& on_node, const std::vector<std::string>& products) {
    Json devices = Json::array();
    for (const std::string& product : products)
      devices.push_back({{"name", "d" + std::to_string(devices.size())},
                         {"attributes", {{"productName", {{"string", product}}}}}});
    return Json{{"spec",
                 {{"driver", "gpu.nvidia.com"},
                  {"nodeName", on_node},
                  {"pool", {{"name", on_node}, {"generation", 1}}},
                  {"devices", devices}}}};
  };
  const std::vector<Json> nodes = {node("labeled", {{"nvidia.com/gpu", "8"}}, label), gpu_node("plain", 8),
                                   node("claims", {{"cpu", "64"}})},
                          slices = {slice("claims", {"NVIDIA L4", "NVIDIA L4"}),
                                    slice("both", {"NVIDIA L4", "NVIDIA A100-SXM4-40GB"})};
  CHECK(gpu_types_of_nodes(nodes, slices) ==
        std::map<std::string, std::string>{{"claims", "l4"}, {"labeled", "a100-40gb"}});
}

TEST_CASE("GPU types: a job asks for the types in its choice, or else for the type that its pods select") {
  Json job = {{"apiVersion", "batch/v1"}, {"kind", "Job"}};
  job["spec"]["template"]["spec"] = pod_spec("nvidia.com/gpu", 2);
  CHECK(asked_gpu_type(job).empty());
  job["spec"]["template"]["spec"]["nodeSelector"] = {{"nvidia.com/gpu.product", "NVIDIA-L4"}};
  CHECK(asked_gpu_type(job) == "l4");
  job["metadata"]["annotations"] = {{"kml.dev/gpus", "h100|>=40Gi:2"}};
  CHECK(asked_gpu_type(job) == "h100|>=40Gi");
}

TEST_CASE("Workloads: from a list, only the Workloads of the named jobs are kept, without their variables") {
  const auto held = [](const std::string& name) {
    return Json{{"apiVersion", "batch/v1"},
                {"kind", "Job"},
                {"metadata",
                 {{"name", name},
                  {"namespace", "lab"},
                  {"uid", "u-" + name},
                  {"labels", {{"kueue.x-k8s.io/queue-name", "lq"}}}}},
                {"spec", {{"suspend", true}}}};
  };
  const auto workload = [](const std::string& name) {
    Json pod = pod_spec("nvidia.com/gpu", 1);
    pod["containers"][0]["env"] = Json::array({{{"name", "A"}, {"value", "B"}}});
    return Json{
        {"metadata", {{"name", "w-" + name}, {"ownerReferences", controlled_by(name, "u-" + name)}}},
        {"spec", {{"podSets", Json::array({{{"count", 1}, {"template", {{"spec", std::move(pod)}}}}})}}}};
  };
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", "/apis/kueue.x-k8s.io", {{"preferredVersion", {{"version", "v1beta2"}}}});
  transport.answer("GET", "/apis/kueue.x-k8s.io/v1beta2/namespaces/lab/workloads",
                   {{"items", {workload("one"), workload("other"), workload("two")}}});
  const std::vector<Json> jobs = {held("one"), held("two")};
  const Workloads found = read_workloads(client, "lab", jobs);
  REQUIRE(found.of(jobs[0]));
  REQUIRE(found.of(jobs[1]));
  CHECK_FALSE(found.of(held("other")));
  CHECK(found.of(jobs[0])->dump().find("\"A\"") == std::string::npos);
}

}  // namespace capacity_test
