#include <doctest/doctest.h>

#include "job/why/causes.h"
#include "job/why/objects.h"

namespace amounts_test {

using namespace kml;
using namespace kml::test;

namespace {

constexpr const char* kNoGpu = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";

/// A job whose pods ask for these requests, on one node.
job::Cause of_requests(const Json& requests, const Json& its_node, const std::vector<Json>& others = {}) {
  Json bert = make_job("bert");
  bert["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"] = requests;
  Known known(bert, {unschedulable(make_pod(bert), "0/1 nodes are available: 1 Insufficient cpu.")});
  known.facts.nodes = std::vector<Json>{its_node};
  known.facts.active_pods = others;
  known.facts.priorities = std::vector<Json>{};
  return known.cause();
}

}  // namespace

TEST_CASE("why: fractions of an amount are not rounded") {
  Json gpt = on_node(make_pod(make_job("gpt")), "a");
  gpt["spec"]["containers"][0]["resources"]["requests"] = {{"cpu", "14500m"}, {"memory", "62Gi"}};
  const Json a = node("a", 8);  // 16 CPUs and 64 GiB
  CHECK(of_requests({{"cpu", "2500m"}}, a, {gpt}).summary ==
        "needs 1 CPU more: a pod asks for 2.5 CPUs; at most 1.5 of 16 CPUs are free on a node");
  CHECK(of_requests({{"memory", "3Gi"}}, a, {gpt}).summary ==
        "needs 1 GiB of memory more: a pod asks for 3 GiB of memory; at most 2 of 64 GiB of memory are free "
        "on a node");
  Json small = a;
  small["status"]["allocatable"]["cpu"] = "500m";
  CHECK(of_requests({{"cpu", "1"}}, small).remedies.at(0).command == "kml submit --cpu 500m …");
  small["status"]["allocatable"]["cpu"] = "1500m";
  CHECK(of_requests({{"cpu", "2"}}, small).remedies.at(0).command == "kml submit --cpu 1 …");
}

TEST_CASE("why: the command simulates as many GPUs on this machine as the job needs") {
  Json here = node("here", 0);
  here["status"]["nodeInfo"]["kubeletVersion"] = "kml-1";
  const auto command = [&](int gpus, int pods, const Json& spec = Json::object()) {
    Json bert = make_job("bert", gpus);
    bert["spec"].update({{"parallelism", pods}, {"completions", pods}});
    bert["spec"]["template"]["spec"].update(spec);
    std::vector<Json> own;
    for (int i = 0; i < pods; ++i) {
      own.push_back(unschedulable(make_pod(bert, std::to_string(i)), kNoGpu));
      if (pods > 1) own.back()["metadata"]["annotations"]["kml.dev/gang-size"] = std::to_string(pods);
    }
    Known known(bert, own);
    known.facts.nodes = std::vector<Json>{here};
    known.facts.active_pods = std::vector<Json>{};
    return known.cause().remedies.at(0).command;
  };
  const std::string up = "kml local down && kml local up --fake-gpus ";
  CHECK(command(1, 1) == up + "1");
  CHECK(command(4, 1) == up + "4");
  CHECK(command(2, 3) == up + "6");  // the pods start together
  CHECK(command(2, 1, {{"nodeSelector", {{"nvidia.com/gpu.product", "NVIDIA-L4"}}}}) == up + "l4:2");
  CHECK(command(100'000, 1) == "kml submit …");  // more than can be simulated
}

}  // namespace amounts_test
