#include "job/preflight/flavor_fit.h"

#include <doctest/doctest.h>

#include "kml/base/yaml.h"

namespace flavor_fit_test {

using namespace kml;
using job::flavor_refusal;
using job::PodsWanted;

namespace {

Json yaml(const std::string& text) {
  return yaml::to_json(yaml::parse(text, "test")[0], "test");
}

PodsWanted pods(int count, int gpus, const std::string& more = "") {
  return {yaml("containers: [{name: main, image: i, resources: {requests: {nvidia.com/gpu: " +
               std::to_string(gpus) + "}}}]\n" + more),
          count};
}

/// A ClusterQueue: quota of GPUs, GPUs in use, and more fields of its spec and of its quota.
Json queue(const std::string& name, int quota, int used, const std::string& spec = "",
           const std::string& more = "") {
  return yaml("metadata: {name: " + name +
              "}\nspec:\n  resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: "
              "[{name: f, resources: [{name: nvidia.com/gpu, nominalQuota: " +
              std::to_string(quota) + more + "}]}]}]\n" + spec +
              "\nstatus: {flavorsReservation: [{name: f, resources: [{name: nvidia.com/gpu, total: " +
              std::to_string(used) + "}]}]}");
}

const std::string kLab = "  cohortName: lab";

}  // namespace

TEST_CASE("flavor_fit: what a queue lacks is described as Kueue describes it") {
  const Json alone = queue("a", 8, 6);
  CHECK(flavor_refusal({pods(1, 2)}, alone, {}, {}) == "");
  CHECK(flavor_refusal({pods(2, 2)}, alone, {}, {}) ==
        "couldn't assign flavors to pod set: insufficient unused quota for nvidia.com/gpu in flavor f, 2 "
        "more needed");
  CHECK(flavor_refusal({pods(3, 3)}, alone, {}, {}).find("> maximum capacity (8)") != std::string::npos);
  CHECK(flavor_refusal({pods(1, 1), pods(1, 2)}, alone, {}, {}).find("1 more needed") != std::string::npos);
  PodsWanted with_cpu = pods(1, 1);
  with_cpu.spec["containers"][0]["resources"]["requests"]["cpu"] = "500m";
  CHECK(flavor_refusal({with_cpu}, alone, {}, {}) ==
        "couldn't assign flavors to pod set: resource cpu unavailable in ClusterQueue");
}

TEST_CASE("flavor_fit: a cohort lends what its queues do not use, within their limits") {
  const Json own = queue("a", 8, 8, kLab);
  const auto refusal = [&](const Json& mine, const Json& other) {
    return flavor_refusal({pods(1, 4)}, mine, {mine, other}, {});
  };
  CHECK(refusal(own, queue("b", 8, 0, kLab)) == "");
  CHECK(refusal(own, queue("b", 8, 6, kLab)).find("2 more needed") != std::string::npos);
  CHECK(refusal(own, queue("b", 8, 0, "  cohortName: other")).find("4 more needed") != std::string::npos);
  CHECK(refusal(own, queue("b", 8, 0, kLab, ", lendingLimit: 3")).find("1 more needed") != std::string::npos);
  CHECK(
      refusal(queue("a", 8, 8, kLab, ", borrowingLimit: 3"), queue("b", 8, 0, kLab)).find("1 more needed") !=
      std::string::npos);
  CHECK(flavor_refusal({pods(1, 12)}, queue("a", 8, 0, kLab, ", borrowingLimit: 2"),
                       {queue("a", 8, 0, kLab, ", borrowingLimit: 2"), queue("b", 8, 0, kLab)}, {})
            .find("maximum capacity (10)") != std::string::npos);
}

TEST_CASE("flavor_fit: the next flavor is tried; one with other labels or a taint is left out") {
  const Json two = yaml(R"(spec:
  resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [{name: kwok, resources: [{name: nvidia.com/gpu, nominalQuota: 4}]},
    {name: spot, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]}])");
  const std::vector<Json> flavors = {yaml("{metadata: {name: kwok}, spec: {nodeLabels: {type: kwok}}}"),
                                     yaml("{metadata: {name: spot}, spec: {nodeLabels: {type: spot}, "
                                          "nodeTaints: [{key: spot, value: 'true', effect: "
                                          "NoSchedule}]}}")};
  CHECK(flavor_refusal({pods(1, 4)}, two, {}, flavors) == "");
  CHECK(flavor_refusal({pods(1, 6)}, two, {}, flavors)
            .find("untolerated taint spot=true:NoSchedule in flavor spot") != std::string::npos);
  const std::string tolerates = "tolerations: [{key: spot, operator: Exists}]\n";
  CHECK(flavor_refusal({pods(1, 6, tolerates)}, two, {}, flavors) == "");
  CHECK(flavor_refusal({pods(1, 4, "nodeSelector: {type: spot}")}, two, {}, flavors)
            .find("flavor kwok doesn't match node affinity") != std::string::npos);
  CHECK(flavor_refusal({pods(1, 4, "nodeSelector: {zone: b}")}, two, {}, flavors) ==
        "");  // without the labels of any flavor
}

}  // namespace flavor_fit_test
