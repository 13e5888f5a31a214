#include "local/server/node_object.h"

#include <doctest/doctest.h>

#include "kml/base/clock.h"
#include "kml/kube/objects/object.h"
#include "local/server/gpus.h"

namespace node_object_test {

using namespace kml;
using namespace kml::local;

namespace {

Json node_with(const std::vector<std::string>& labels) {
  NodeOptions options;
  options.fake_gpus = 0;
  options.node_labels = labels;
  return node_object(options, Time());
}

std::string label(const Json& node, std::string_view key) {
  return api::label_of(node, key);
}

}  // namespace

TEST_CASE("node: labels of an earlier server go, and those of the user stay") {
  Json node = node_with({"nvidia.com/gpu.product=NVIDIA-H100-80GB-HBM3", "disk=ssd", "speed=fast"});
  node["metadata"]["labels"]["zone"] = "a";
  node["metadata"]["labels"]["speed"] = "slow";
  update_node(node_with({"disk=hdd"}), node);
  CHECK(label(node, "nvidia.com/gpu.product").empty());
  CHECK(label(node, "disk") == "hdd");
  CHECK(label(node, "zone") == "a");
  CHECK(label(node, "speed") == "slow");
  CHECK_FALSE(label(node, "kubernetes.io/hostname").empty());
  update_node(node_with({}), node);
  CHECK(label(node, "disk").empty());
  CHECK(label(node, "zone") == "a");
}

TEST_CASE("node: a node without labels and records of labels gets the labels of this server") {
  Json node = {{"metadata", {{"name", "n"}}}};
  update_node(node_with({"disk=ssd"}), node);
  CHECK(label(node, "disk") == "ssd");
}

TEST_CASE("node: GPUs have the labels of NVIDIA's GPU feature discovery") {
  struct Case {
    MachineGpus gpus;
    std::vector<std::string> labels;
  };
  const std::vector<Case> cases = {
      {{0, "", 0}, {}},
      {{2, "NVIDIA H100 80GB HBM3", 81559},
       {"nvidia.com/gpu.product=NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.memory=81559"}},
      {{2, "", 16384}, {"nvidia.com/gpu.memory=16384"}},
      {{1, "GPU (test)", 0}, {}}};
  for (const Case& each : cases) CHECK(labels_of_gpus(each.gpus) == each.labels);
}

TEST_CASE("node: of different GPUs, the smallest memory counts") {
  CHECK(least_memory_in("81559\n40960\n") == 40960);
  CHECK(least_memory_in("[N/A]\n16384\n") == 16384);
  CHECK(least_memory_in("") == 0);
}

}  // namespace node_object_test
