#include "job/preflight/topology_fit.h"

#include <doctest/doctest.h>

#include "kml/base/yaml.h"
#include "kml/kube/objects/topology.h"

namespace topology_fit_test {

using namespace kml;
using namespace kml::job;

namespace {

Json yaml(const std::string& text) {
  return yaml::to_json(yaml::parse(text, "test")[0], "test");
}

Json node(const std::string& name, const std::string& rack, const std::string& pool = "a") {
  return yaml("metadata: {name: " + name + ", labels: {rack: " + rack + ", pool: " + pool +
              "}}\nstatus: {allocatable: {nvidia.com/gpu: '8', pods: '110'}, conditions: [{type: Ready, "
              "status: 'True'}]}");
}

Json pod_spec(int gpus) {
  return yaml("containers: [{name: main, image: i, resources: {limits: {nvidia.com/gpu: " +
              std::to_string(gpus) + "}, requests: {nvidia.com/gpu: " + std::to_string(gpus) + "}}}]");
}

Json running(const std::string& on, int gpus) {
  Json pod = {{"metadata", {{"name", "p"}, {"namespace", "lab"}}},
              {"spec", pod_spec(gpus)},
              {"status", {{"phase", "Running"}}}};
  pod["spec"]["nodeName"] = on;
  return pod;
}

const Json kFlavor = yaml("metadata: {name: f}\nspec: {nodeLabels: {pool: a}, topologyName: t}");

}  // namespace

TEST_CASE("topology fit: all pods must fit in one rack, as Kueue says") {
  const std::vector<Json> nodes = {node("n1", "r1"), node("n2", "r1"), node("n3", "r2"), node("n4", "r2"),
                                   node("other", "r1", "b")};
  const auto refusal = [&](int count, int gpus, const std::vector<Json>& pods,
                           const std::vector<std::string>& levels = {"rack"},
                           const std::vector<Json>& flavors = {kFlavor}) {
    return topology_refusal({{pod_spec(gpus), count}}, levels, flavors, nodes, pods);
  };
  CHECK(refusal(2, 8, {}) == "");
  CHECK(refusal(3, 8, {}) ==
        "topology \"t\" allows to fit only 2 out of 3 pod(s)");  // the third pod has no node
  CHECK(refusal(2, 8, {running("n1", 1)}) == "");                // the pods fit in the other rack
  CHECK(refusal(2, 8, {running("n1", 1), running("n3", 1)}) ==
        "topology \"t\" allows to fit only 1 out of 2 pod(s)");
  CHECK(refusal(2, 8, {running("n1", 1), running("n2", 1), running("n3", 1), running("n4", 1)}) ==
        "topology \"t\" doesn't allow to fit any of 2 pod(s)");
  CHECK(refusal(2, 4, {running("n1", 4), running("n2", 4), running("n3", 8), running("n4", 8)}) == "");
  CHECK(refusal(9, 8, {}, {""}) == "");  // without a required level, the pods need not be in one rack
  CHECK(refusal(1, 1, {}, {"rack"}, {yaml("metadata: {name: f}\nspec: {}")}) ==
        "Flavor \"f\" does not support TopologyAwareScheduling");
}

TEST_CASE("topology fit: the required levels are read from the job's pod templates") {
  Json job = yaml("apiVersion: batch/v1\nkind: Job\nspec: {template: {spec: {}}}");
  CHECK(required_levels(job) == std::vector<std::string>{""});
  job["spec"]["template"]["metadata"]["annotations"][std::string(api::kRequiredTopology)] = "rack";
  CHECK(required_levels(job) == std::vector<std::string>{"rack"});
}

}  // namespace topology_fit_test
