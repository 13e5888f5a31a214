#include <doctest/doctest.h>

#include "kml/job/preflight/preflight.h"
#include "support/fake_transport.h"

namespace missing_of_kinds_test {

using namespace kml;
using namespace kml::job;

namespace {

const std::string kInLab = "/namespaces/lab/";

Json names(const std::string& name) {
  return {{"kind", "PartialObjectMetadataList"}, {"items", {{{"metadata", {{"name", name}}}}}}};
}

/// A server on which some objects are missing.
struct Server {
  FakeTransport transport;
  kube::Client client{transport, [](std::chrono::milliseconds) {}};
  bool lacks_some = false;

  /// The collection has the object `other`, but not `name`.
  void lacks(const std::string& collection, const std::string& name, const std::string& other) {
    const Json gone = {{"kind", "Status"},     {"status", "Failure"}, {"code", 404},
                       {"reason", "NotFound"}, {"message", "gone"},   {"details", {{"name", name}}}};
    for (const char* query : {"?resourceVersion=0", ""})
      transport.answer("GET", collection + "/" + name + query, gone, 404);
    transport.answer("GET", collection, names(other));
    lacks_some = true;
  }
  std::vector<std::string> obstacles_of(const std::string& object) {
    if (lacks_some) transport.answer("GET", "/api/v1/namespaces/lab", {{"kind", "PartialObjectMetadata"}});
    std::vector<std::string> messages;
    for (const Error& error : preflight(client, {Json::parse(object)}, {}, false).obstacles)
      messages.push_back(error.message);
    return messages;
  }
};

}  // namespace

TEST_CASE("preflight: a TrainJob's runtime and what it says about its pods are checked") {
  Server server;
  server.lacks("/api/v1" + kInLab + "secrets", "registy", "registry");
  server.lacks("/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes", "torch", "torch-distributed");
  CHECK(server.obstacles_of(R"({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob",
    "metadata": {"name": "bert", "namespace": "lab"},
    "spec": {"runtimeRef": {"name": "torch"}, "trainer": {"numNodes": 2},
             "runtimePatches": [{"manager": "kml.dev/cli", "trainingRuntimeSpec": {"template": {"spec": {
               "replicatedJobs": [{"name": "node", "template": {"spec": {"template": {"spec": {
                 "imagePullSecrets": [{"name": "registy"}]}}}}}]}}}}]}})") ==
        std::vector<std::string>{"secret \"registy\" does not exist in namespace lab",
                                 "clustertrainingruntime \"torch\" does not exist"});
}

TEST_CASE("preflight: a TrainJob that is too large for every node is rejected") {
  Server server;
  server.transport.answer("GET", "/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes/torch",
                          names("torch"));
  const Json node = Json::parse(R"({"metadata": {"name": "n1"}, "status": {
    "allocatable": {"cpu": "8", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": "2"},
    "capacity": {"cpu": "8", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": "2"},
    "conditions": [{"type": "Ready", "status": "True"}]}})");
  const Json nodes = {{"metadata", {{"resourceVersion", "1"}}}, {"items", Json::array({node})}};
  for (int i = 0; i < 2; ++i) server.transport.answer("GET", "/api/v1/nodes", nodes);
  server.transport.answer("GET", "/apis", {{"groups", Json::array()}});
  server.transport.answer("GET", "/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status",
                          {{"kind", "Status"}, {"status", "Failure"}, {"code", 404}, {"reason", "NotFound"}},
                          404);
  CHECK(server.obstacles_of(R"({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob",
    "metadata": {"name": "bert", "namespace": "lab"},
    "spec": {"runtimeRef": {"name": "torch"},
             "trainer": {"resourcesPerNode": {"limits": {"nvidia.com/gpu": 99}}}}})") ==
        std::vector<std::string>{"job bert cannot run"});
}

TEST_CASE("preflight: Volcano's queues, and Kueue's of other kinds than jobs, are checked too") {
  const std::string pod =
      R"({"metadata": {"annotations": {"scheduling.volcano.sh/queue-name": "night"}},
          "spec": {"schedulerName": "volcano", "containers": [{"name": "m"}]}})";
  const std::string metadata = R"("metadata": {"name": "bert", "namespace": "lab"}, )";
  for (const std::string& object : {R"({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", )" +
                                        metadata + R"("spec": {"queue": "night", "tasks": []}})",
                                    R"({"apiVersion": "batch/v1", "kind": "Job", )" + metadata +
                                        R"("spec": {"template": )" + pod + "}}"}) {
    Server server;
    server.lacks("/apis/scheduling.volcano.sh/v1beta1/queues", "night", "default");
    CHECK(server.obstacles_of(object) == std::vector<std::string>{"queue \"night\" does not exist"});
  }
  Server server;
  server.transport.answer("GET", "/apis/kueue.x-k8s.io", {{"preferredVersion", {{"version", "v1beta2"}}}});
  server.lacks("/apis/kueue.x-k8s.io/v1beta2" + kInLab + "localqueues", "night", "day");
  CHECK(server.obstacles_of(R"({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {
    "name": "bert", "namespace": "lab", "labels": {"kueue.x-k8s.io/queue-name": "night"}},
    "spec": {"template": {"spec": {"containers": [{"name": "m"}]}}}})") ==
        std::vector<std::string>{"localqueue \"night\" does not exist in namespace lab"});
}

TEST_CASE("trial: kml says that it cannot check pods that the manifest does not show") {
  Server server;
  server.transport.answer("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                          {{"status", {{"allowed", true}}}}, 201);
  server.transport.answer(
      "GET", "/apis/leaderworkerset.x-k8s.io/v1",
      {{"resources", {{{"name", "leaderworkersets"}, {"kind", "LeaderWorkerSet"}, {"namespaced", true}}}}});
  const Json set = Json::parse(R"({"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet",
    "metadata": {"name": "lws", "namespace": "lab"}, "spec": {"replicas": 2}})");
  server.transport.answer("POST", "/apis/leaderworkerset.x-k8s.io/v1" + kInLab + "leaderworkersets", set,
                          201);
  CHECK(rehearse(server.client, {set}, {}, false).unknown ==
        std::vector<std::string>{"job lws: the pods, which its manifest does not show"});
}

}  // namespace missing_of_kinds_test
