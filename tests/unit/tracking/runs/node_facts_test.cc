#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "kml/kube/client/client.h"
#include "kml/tracking/runs/metric_courses.h"
#include "support/fake_transport.h"
#include "support/owner.h"

namespace node_facts_test {

using namespace kml;

namespace {

using Facts = std::map<std::string, std::string>;

Json pod_on(const std::string& node, int number) {
  return {{"metadata",
           {{"name", "bert-" + std::to_string(number)},
            {"namespace", "lab"},
            {"ownerReferences", controlled_by("bert", "u")}}},
          {"spec", {{"nodeName", node}, {"containers", Json::array()}}},
          {"status", {{"phase", "Succeeded"}}}};
}

Json node_with(const Json& labels, const Json& info) {
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", "gpu"}, {"labels", labels}}},
          {"status", {{"nodeInfo", info}}}};
}

}  // namespace

TEST_CASE("runs: the record names the GPU driver, the kernel and the container runtime of the job's nodes") {
  struct Case {
    std::vector<Json> nodes;
    int status;
    Facts facts;
  };
  const Json info = {{"kernelVersion", "6.1.0"}, {"containerRuntimeVersion", "containerd://2.0.1"}};
  const Facts plain = {{"kernel", "6.1.0"}, {"container runtime", "containerd://2.0.1"}};
  Facts with_driver = plain, with_two = plain;
  with_driver["driver"] = "535.104.05";
  with_two["driver"] = "535.104.05, 550.54.14";
  const Json whole = {{"nvidia.com/cuda.driver-version.full", "535.104.05"}},
             newer = {{"nvidia.com/cuda.driver-version.full", "550.54.14"}},
             parts = {{"nvidia.com/cuda.driver.major", "535"},
                      {"nvidia.com/cuda.driver.minor", "104"},
                      {"nvidia.com/cuda.driver.rev", "05"}};
  const Case kCases[] = {{{node_with(whole, info)}, 200, with_driver},
                         {{node_with(parts, info)}, 200, with_driver},
                         {{node_with(Json::object(), info)}, 200, plain},
                         {{node_with(whole, info), node_with(newer, info)}, 200, with_two},
                         {{node_with(whole, info), node_with(whole, info)}, 200, with_driver},
                         {{{{"kind", "Status"}, {"reason", "Forbidden"}}}, 403, {}},
                         {{{{"kind", "Status"}, {"reason", "NotFound"}}}, 404, {}}};
  for (const auto& [nodes, status, facts] : kCases) {
    CAPTURE(Json(nodes).dump());
    FakeTransport transport;
    kube::Client client(transport, [](std::chrono::milliseconds) {});
    Json pods = Json::array();
    for (size_t i = 0; i < nodes.size(); ++i) {
      const std::string name = "gpu-" + std::to_string(i);
      pods.push_back(pod_on(name, static_cast<int>(i)));
      transport.answer("GET", "/api/v1/nodes/" + name, nodes[i], status);
    }
    transport.answer("GET", "/api/v1/namespaces/lab/pods",
                     {{"metadata", {{"resourceVersion", "1"}}}, {"items", pods}});
    const Json job = {{"apiVersion", "batch/v1"},
                      {"kind", "Job"},
                      {"metadata", {{"name", "bert"}, {"namespace", "lab"}, {"uid", "u"}}},
                      {"spec", {{"template", {{"spec", {{"containers", Json::array()}}}}}}}};
    CHECK(tracking::metrics_of_job(client, job).of_nodes == facts);
  }
}

}  // namespace node_facts_test
