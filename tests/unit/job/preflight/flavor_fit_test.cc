#include "job/preflight/flavor_fit.h"

#include <doctest/doctest.h>

#include "job/capacity/queue_room.h"
#include "job/preflight/preemption_fit.h"
#include "kml/base/yaml.h"

namespace flavor_fit_test {

using namespace kml;
using job::fits_by_preemption;
using job::flavor_refusal;
using job::PodsWanted;
using job::with_reservations;

namespace {

Json yaml(const std::string& text) {
  return yaml::to_json(yaml::parse(text, "test")[0], "test");
}

PodsWanted pods(int count, int gpus, const std::string& more = "") {
  return {yaml("containers: [{name: main, image: i, resources: {requests: {nvidia.com/gpu: " +
               std::to_string(gpus) + "}}}]\n" + more),
          count};
}

/// A ClusterQueue with a quota of GPUs, some of which are in use. Other fields can be added to its spec and
/// its quota.
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

/// A Workload that has reserved GPUs.
Json workload(const std::string& of_queue, int gpus, int priority) {
  return yaml(
      "spec: {priority: " + std::to_string(priority) +
      "}\nstatus:\n  conditions: [{type: QuotaReserved, status: 'True'}]\n  admission: {clusterQueue: " +
      of_queue + ", podSetAssignments: [{flavors: {nvidia.com/gpu: f}, resourceUsage: {nvidia.com/gpu: '" +
      std::to_string(gpus) + "'}}]}");
}

}  // namespace

TEST_CASE("flavor_fit: the resources that a queue lacks are described in Kueue's words") {
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

TEST_CASE(
    "flavor_fit: kml adds up the reservations of the Workloads, because Kueue updates the sums in the status "
    "late") {
  const auto all = [](const Json&) { return true; };
  const Json late = with_reservations(queue("a", 8, 0), {workload("a", 6, 0), workload("b", 2, 0)}, all);
  CHECK(flavor_refusal({pods(1, 2)}, late, {}, {}) == "");
  CHECK(flavor_refusal({pods(1, 3)}, late, {}, {}).find("1 more needed") != std::string::npos);
  Json finished = workload("a", 6, 0);
  finished["status"]["conditions"].push_back({{"type", "Finished"}, {"status", "True"}});
  CHECK(flavor_refusal({pods(1, 8)}, with_reservations(queue("a", 8, 6), {finished}, all), {}, {}) == "");
}

TEST_CASE("flavor_fit: a job that does not fit may still start if Kueue would preempt enough others for it") {
  const std::string within = "  preemption: {withinClusterQueue: LowerPriority}";
  const std::string reclaims = "  cohortName: lab\n  preemption: {reclaimWithinCohort: ";
  struct Row {
    const char* text;
    std::string spec, cohort;
    int own,
        others;  ///< the GPUs of jobs with priority 0, in this queue and in another one; each has quota 8
    int priority, gpus;
    bool fits;
  };
  const Row rows[] = {
      {"a queue that does not preempt", "", "", 8, 0, 100, 4, false},
      {"jobs of lower priority", within, "", 8, 0, 100, 8, true},
      {"jobs of the same priority", within, "", 8, 0, 0, 4, false},
      {"more than the queue has", within, "", 8, 0, 100, 9, false},
      {"what another queue has borrowed", reclaims + "Any}", kLab, 0, 16, 0, 8, true},
      {"borrowed by a lower priority", reclaims + "LowerPriority}", kLab, 0, 16, 100, 8, true},
      {"borrowed by the same priority", reclaims + "LowerPriority}", kLab, 0, 16, 0, 8, false},
      {"what another queue has of its own", reclaims + "Any}", kLab, 8, 8, 100, 4, false},
      {"a queue that does not take back", kLab, kLab, 0, 16, 100, 8, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Json own = queue("a", 8, row.own, row.spec), other = queue("b", 8, row.others, row.cohort);
    std::vector<Json> cohort;
    if (!row.cohort.empty()) cohort = {own, other};
    CHECK(fits_by_preemption({pods(1, row.gpus)}, row.priority, own, cohort, {},
                             {workload("a", row.own, 0), workload("b", row.others, 0)}) == row.fits);
  }
}

TEST_CASE("flavor_fit: the next flavor is tried; a flavor with other labels or a taint is left out") {
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
