#include "job/submit/topology_levels.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kml/base/error.h"
#include "support/fake_transport.h"

namespace topology_levels_test {

using namespace kml;
using namespace kml::job;

namespace {

constexpr const char* kRequired = "kueue.x-k8s.io/podset-required-topology";

Json job_in(const std::string& level) {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", "bert"}}},
          {"spec", {{"template", {{"metadata", {{"annotations", {{kRequired, level}}}}}}}}}};
}

std::string level_of(const Json& job) {
  return job["spec"]["template"]["metadata"]["annotations"][kRequired];
}

struct Cluster {
  FakeTransport transport;
  kube::Client client{transport};

  void serve(int status) {
    transport.answer("GET", "/apis/kueue.x-k8s.io", {{"preferredVersion", {{"version", "v1beta2"}}}});
    const Json levels = {{{"nodeLabel", "cloud.example.com/topology-block"}},
                         {{"nodeLabel", "cloud.example.com/topology-rack"}},
                         {{"nodeLabel", "kubernetes.io/hostname"}}};
    transport.answer(
        "GET", "/apis/kueue.x-k8s.io/v1beta2/topologies",
        {{"metadata", {{"resourceVersion", "1"}}}, {"items", {{{"spec", {{"levels", levels}}}}}}}, status);
  }
};

}  // namespace

TEST_CASE_FIXTURE(Cluster,
                  "topology: a short name of a level becomes the label that Kueue's Topology has for it") {
  serve(200);
  std::vector<Json> jobs = {job_in("rack"), job_in("rack"), job_in("own.example.com/rack")};
  use_topology_levels(client, jobs);
  CHECK(level_of(jobs[0]) == "cloud.example.com/topology-rack");
  CHECK(level_of(jobs[1]) == "cloud.example.com/topology-rack");
  CHECK(level_of(jobs[2]) == "own.example.com/rack");
}

TEST_CASE_FIXTURE(Cluster, "topology: a TrainJob's level is found in the patch of its runtime") {
  serve(200);
  Json trainjob = {{"apiVersion", "trainer.kubeflow.org/v1alpha1"}, {"kind", "TrainJob"}};
  Json patch, pod = {{"name", "node"}};
  pod["template"]["spec"]["template"] = job_in("rack")["spec"]["template"];
  patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"] = Json::array({pod});
  trainjob["spec"]["runtimePatches"] = Json::array({patch});
  std::vector<Json> jobs = {trainjob};
  use_topology_levels(client, jobs);
  CHECK(jobs[0].dump().find("\"cloud.example.com/topology-rack\"") != std::string::npos);
}

TEST_CASE_FIXTURE(Cluster, "topology: the error says which levels exist, or that they cannot be read") {
  std::vector<Json> jobs = {job_in("zone")};
  SUBCASE("no such level") {
    serve(200);
    try {
      use_topology_levels(client, jobs);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.fix.find("cloud.example.com/topology-rack") != std::string::npos);
    }
  }
  SUBCASE("not allowed") {
    serve(403);
    try {
      use_topology_levels(client, jobs);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.fix.find("--topology example.com/zone") != std::string::npos);
    }
  }
}

TEST_CASE("topology: \"block\" does not mean a subblock, and an exact name takes precedence") {
  const std::vector<std::string> labels = {"a.com/gce-topology-subblock", "a.com/gce-topology-block"};
  CHECK(labels_of_level(labels, "block") == std::vector<std::string>{"a.com/gce-topology-block"});
  CHECK(labels_of_level({"a.com/rack", "b.com/big-rack"}, "rack") == std::vector<std::string>{"a.com/rack"});
  CHECK(labels_of_level(labels, "host").empty());
}

}  // namespace topology_levels_test
