#include "kml/job/preflight/preflight.h"

#include <doctest/doctest.h>

#include "support/fake_transport.h"

namespace preflight_test {

using namespace kml;
using namespace kml::job;

namespace {

const std::string kReviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const std::string kJobs = "/apis/batch/v1/namespaces/lab/jobs", kPods = "/api/v1/namespaces/lab/pods";
const std::string kKueue = "/apis/kueue.x-k8s.io";
const std::string kQueues = kKueue + "/v1beta2/namespaces/lab/localqueues";
const std::string kSecrets = "/api/v1/namespaces/lab/secrets";
const std::string kNodes = "/api/v1/nodes";
const std::string kStatusMap = "/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status";

Json queued_job() {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata",
           {{"name", "bert"}, {"namespace", "lab"}, {"labels", {{"kueue.x-k8s.io/queue-name", "night"}}}}},
          {"spec", {{"template", {{"spec", {{"containers", Json::array({{{"name", "main"}}})}}}}}}}};
}

Json failure(int code, const char* reason, const char* name = "") {
  return {{"kind", "Status"}, {"status", "Failure"}, {"code", code},
          {"reason", reason}, {"message", reason},   {"details", {{"name", name}}}};
}

Json names(const std::vector<std::string>& list) {
  Json items = Json::array();
  for (const std::string& name : list) items.push_back({{"metadata", {{"name", name}}}});
  return {{"kind", "PartialObjectMetadataList"}, {"items", items}};
}

struct Server {
  FakeTransport transport;
  kube::Client client{transport, [](std::chrono::milliseconds) {}};

  /// Answers for Kueue's API group and for one of its queues, which does not exist if `status` is 404.
  void queue(const Json& answer, int status) {
    if (status == 404) missing(kQueues, "night");
    transport.answer("GET", kKueue, {{"kind", "APIGroup"}, {"preferredVersion", {{"version", "v1beta2"}}}});
    if (status != 404) transport.answer("GET", kQueues + "/night", answer, status);
  }
  /// Stubs two responses, because the first one may come from a cache that is slightly out of date.
  void missing(const std::string& path, const std::string& name) {
    for (const char* query : {"?resourceVersion=0", ""})
      transport.answer("GET", path + "/" + name + query, failure(404, "NotFound", name.c_str()), 404);
  }
  void may(bool allowed) { transport.answer("POST", kReviews, {{"status", {{"allowed", allowed}}}}, 201); }
  Rehearsal run() { return rehearse(client, {queued_job()}, {}, false); }
  Preflight look(const Json& object, const std::vector<Belonging>& belongings = {}) {
    return preflight(client, {object}, belongings, false);
  }
  void has_namespace() {
    transport.answer("GET", "/api/v1/namespaces/lab", {{"kind", "PartialObjectMetadata"}});
  }
};

/// A job with an additional field in its pod.
Json job_with(const char* field, const Json& value) {
  Json job = queued_job();
  job["metadata"].erase("labels");
  job["spec"]["template"]["spec"][field] = value;
  return job;
}

Json gpu_job(int gpus) {
  return job_with("containers",
                  Json::array({{{"name", "main"}, {"resources", {{"limits", {{"nvidia.com/gpu", gpus}}}}}}}));
}

Json node(int gpus, const Json& labels = Json::object()) {
  return {{"metadata", {{"name", "node1"}, {"labels", labels}}},
          {"status", {{"allocatable", {{"pods", "110"}, {"nvidia.com/gpu", std::to_string(gpus)}}}}}};
}

}  // namespace

TEST_CASE("trial: sends only dry runs and reviews, and reports a missing queue") {
  Server server;
  server.may(true);
  server.transport.answer("POST", kJobs, queued_job(), 201);
  server.may(true);
  server.transport.answer("POST", kPods, {{"spec", queued_job()["spec"]["template"]["spec"]}}, 201);
  server.queue(failure(404, "NotFound", "night"), 404);
  server.has_namespace();
  server.transport.answer("GET", kQueues, names({"day", "nights"}));
  server.transport.answer("GET", "/api/v1/nodes", failure(403, "Forbidden"), 403);
  server.transport.answer("GET", "/apis/kueue.x-k8s.io", {{"preferredVersion", {{"version", "v1beta2"}}}});
  server.transport.answer("GET", std::string(kQueues) + "/night", failure(404, "NotFound", "night"), 404);
  const Rehearsal rehearsal = server.run();
  REQUIRE(rehearsal.obstacles.size() == 1);
  CHECK(rehearsal.obstacles[0].message == "localqueue \"night\" does not exist in namespace lab");
  CHECK(rehearsal.obstacles[0].why == "the job would stay suspended; existing ones: day, nights");
  CHECK(rehearsal.obstacles[0].fix == "did you mean \"nights\"?");
  CHECK(rehearsal.unknown.size() == 1);
  for (const http::Request& request : server.transport.requests)
    if (request.method != "GET" && !request.path.starts_with(kReviews))
      CHECK(request.path.find("dryRun=All") != std::string::npos);
}

TEST_CASE("trial: if the user may not create jobs, that is the only obstacle") {
  Server server;
  server.may(false);
  server.may(false);  // without rights, no pods are tried
  server.queue(failure(403, "Forbidden"), 403);
  server.transport.answer("GET", "/api/v1/nodes", failure(403, "Forbidden"), 403);
  server.transport.answer("GET", "/apis/kueue.x-k8s.io", {{"preferredVersion", {{"version", "v1beta2"}}}});
  server.transport.answer("GET", std::string(kQueues) + "/night", failure(403, "Forbidden"), 403);
  const Rehearsal rehearsal = server.run();
  REQUIRE(rehearsal.obstacles.size() == 1);
  CHECK(rehearsal.obstacles[0].code == ErrorCode::auth);
  CHECK(rehearsal.unknown.size() == 2);
}

TEST_CASE("trial: if nodes may be added, a job too large for today's nodes waits") {
  Server server;
  server.may(true);
  server.may(true);
  server.transport.answer("POST", kJobs, gpu_job(8), 201);
  server.transport.answer(
      "POST", kPods, {{"metadata", {{"name", "p"}}}, {"spec", gpu_job(8)["spec"]["template"]["spec"]}}, 201);
  server.transport.answer("GET", kNodes,
                          {{"items", Json::array({node(2, {{"karpenter.sh/nodepool", "a"}})})}});
  server.transport.answer("GET", "/api/v1/pods", {{"items", Json::array()}});
  const Rehearsal rehearsal = rehearse(server.client, {gpu_job(8)}, {}, false);
  for (const Error& obstacle : rehearsal.obstacles) FAIL_CHECK(obstacle.message << ": " << obstacle.why);
  REQUIRE(rehearsal.outlooks.size() == 1);
  CHECK(rehearsal.outlooks[0].find(
            "job bert: would wait for new nodes; on the current nodes it cannot run") == 0);
}

TEST_CASE("preflight: a job that refers to no object sends no request") {
  Server server;
  const Preflight found = server.look(job_with("restartPolicy", "Never"));
  CHECK(found.obstacles.empty());
  CHECK(server.transport.requests.empty());
}

TEST_CASE("preflight: a missing object is an obstacle, and the nearest name is suggested") {
  Server server;
  Json job = job_with("imagePullSecrets", Json::array({{{"name", "registy"}}}));
  job["spec"]["template"]["spec"]["priorityClassName"] = "high";
  server.missing(kSecrets, "registy");
  server.transport.answer("GET", "/apis/scheduling.k8s.io/v1/priorityclasses/high", names({}));
  server.has_namespace();
  Json list = names({"registry", "kml-code-1"});
  list["items"][1]["metadata"]["ownerReferences"] = Json::array({{{"kind", "Job"}}});
  server.transport.answer("GET", kSecrets, list);
  const Preflight found = server.look(job);
  REQUIRE(found.obstacles.size() == 1);
  CHECK(found.obstacles[0].message == "secret \"registy\" does not exist in namespace lab");
  CHECK(found.obstacles[0].why == "the image could not be pulled with it; existing ones: registry");
  CHECK(found.obstacles[0].fix == "did you mean \"registry\"?");
  // No request asks for the contents of a Secret.
  for (const http::Request& request : server.transport.requests)
    CHECK(request.headers[0].second.find("PartialObjectMetadata") != std::string::npos);
}

TEST_CASE("preflight: a volume claim that is being deleted is an obstacle, unless it was created again") {
  const std::string claim = "/api/v1/namespaces/lab/persistentvolumeclaims/data";
  const Json job =
      job_with("volumes", Json::array({{{"name", "v"}, {"persistentVolumeClaim", {{"claimName", "data"}}}}}));
  const Json there = {{"metadata", {{"name", "data"}}}};
  Json leaving = there;
  leaving["metadata"]["deletionTimestamp"] = "2026-01-01T01:55:00Z";
  Server server;
  server.transport.answer("GET", claim + "?resourceVersion=0", leaving);
  SUBCASE("it is still there") {
    server.transport.answer("GET", claim, leaving);
    const Preflight found = server.look(job);
    REQUIRE(found.obstacles.size() == 1);
    CHECK(found.obstacles[0].message ==
          "persistentvolumeclaim \"data\" of namespace lab is being deleted since 2026-01-01T01:55:00Z");
    CHECK(found.obstacles[0].fix.ends_with("once it is gone: kml list claims -n lab"));
  }
  SUBCASE("only the server's cache has it") {
    server.transport.answer("GET", claim, there);
    CHECK(server.look(job).obstacles.empty());
  }
}

TEST_CASE("preflight: if kml cannot find out whether an object exists, that is not an obstacle") {
  const Json job = job_with("serviceAccountName", "robot");
  const std::string account = "/api/v1/namespaces/lab/serviceaccounts/robot";
  Server server;
  SUBCASE("created a moment ago") {
    server.transport.answer("GET", account + "?resourceVersion=0", failure(404, "NotFound", "robot"), 404);
    server.transport.answer("GET", account, names({}));
  }
  SUBCASE("no right to read it") {
    server.transport.answer("GET", account, failure(403, "Forbidden"), 403);
  }
  SUBCASE("no such kind") {
    server.transport.stub("GET", account, {.status = 404, .pieces = {"404 page not found"}});
  }
  SUBCASE("no such kind, reported as if it were a missing object") {
    server.transport.answer("GET", account, failure(404, "NotFound"), 404);
  }
  SUBCASE("the server is unavailable") {
    server.transport.stub("GET", account, FakeTransport::break_connection());
  }
  SUBCASE("the server does not answer") {
    server.transport.stub("GET", account, {.stays_open = true});
  }
  SUBCASE("no such namespace, which the server itself reports") {
    server.missing("/api/v1/namespaces/lab/serviceaccounts", "robot");
    server.transport.answer("GET", "/api/v1/namespaces/lab", failure(404, "NotFound", "lab"), 404);
  }
  CHECK(server.look(job).obstacles.empty());
}

TEST_CASE("preflight: objects created by the submit and optional objects are not missing") {
  Server server;
  Json job = job_with("volumes", Json::parse(R"([{"name": "a", "secret": {"secretName": "own"}},
      {"name": "b", "secret": {"secretName": "maybe", "optional": true}},
      {"name": "c", "persistentVolumeClaim": {"claimName": "data"}}])"));
  const Belonging secret{.object = {{"kind", "Secret"}, {"metadata", {{"name", "own"}}}}};
  const Json claim = {{"apiVersion", "v1"},
                      {"kind", "PersistentVolumeClaim"},
                      {"metadata", {{"name", "data"}, {"namespace", "lab"}}}};
  CHECK(preflight(server.client, {claim, job}, {secret}, false).obstacles.empty());
  CHECK(server.transport.requests.empty());
}

TEST_CASE("preflight: projected volumes and the old field of the service account are checked too") {
  Server server;
  Json job = job_with("volumes", Json::parse(R"([{"name": "all", "projected": {"sources": [
      {"secret": {"name": "key"}}, {"configMap": {"name": "maybe", "optional": true}}]}}])"));
  job["spec"]["template"]["spec"]["serviceAccount"] = "robot";
  server.transport.answer("GET", kSecrets + "/key", names({}));
  server.transport.answer("GET", "/api/v1/namespaces/lab/serviceaccounts/robot", names({}));
  CHECK(server.look(job).obstacles.empty());
}

TEST_CASE("preflight: a queue is looked up in the version preferred by the cluster's Kueue") {
  Server server;
  server.transport.answer("GET", kKueue, {{"preferredVersion", {{"version", "v1beta1"}}}});
  server.transport.stub("GET", kQueues + "/night", {.status = 404, .pieces = {"404 page not found"}});
  const std::string old = kKueue + "/v1beta1/namespaces/lab/localqueues";
  server.missing(old, "night");
  server.has_namespace();
  server.transport.answer("GET", old, names({}));
  const Preflight found = server.look(queued_job());
  REQUIRE(found.obstacles.size() == 1);
  CHECK(found.obstacles[0].why == "the job would stay suspended; the namespace has no localqueues");
}

TEST_CASE("preflight: a queue cannot be used if the cluster certainly has no Kueue") {
  Server server;
  bool is_certain = false;
  SUBCASE("the group is not served") {
    is_certain = true;
    server.transport.stub("GET", kKueue, {.status = 404, .pieces = {"404 page not found"}});
  }
  SUBCASE("the user may not ask") {
    server.transport.answer("GET", kKueue, failure(403, "Forbidden"), 403);
  }
  server.transport.stub("GET", kQueues + "/night", {.status = 404, .pieces = {"404 page not found"}});
  const Preflight found = server.look(queued_job());
  REQUIRE(found.obstacles.size() == (is_certain ? 1 : 0));
  if (is_certain) CHECK(found.obstacles[0].code == ErrorCode::usage);
}

TEST_CASE("preflight: a job too large for every node is rejected if no other nodes can be added") {
  Server server;
  server.transport.answer("GET", kNodes, {{"items", Json::array({node(2)})}});
  SUBCASE("one pod that fits") {
    const Preflight found = server.look(gpu_job(2));
    CHECK(found.obstacles.empty());
    CHECK(server.transport.requests.size() == 1);
  }
  SUBCASE("many equal pods are checked once") {
    server.transport.answer("GET", kNodes, {{"items", Json::array({node(2)})}});
    server.transport.answer("GET", "/apis", {{"groups", Json::array()}});
    server.transport.answer("GET", kStatusMap, failure(404, "NotFound"), 404);
    std::vector<Json> jobs(1000, gpu_job(8));
    for (size_t i = 0; i < jobs.size(); ++i) jobs[i]["metadata"]["name"] = "job" + std::to_string(i);
    jobs.push_back(gpu_job(2));
    const Preflight found = preflight(server.client, jobs, {}, false);
    REQUIRE(found.obstacles.size() == 1);
    CHECK(found.obstacles[0].message == "job job0 and 999 more cannot run");
  }
  SUBCASE("one pod that never fits") {
    server.transport.answer("GET", kNodes, {{"items", Json::array({node(2)})}});
    server.transport.answer("GET", "/apis", {{"groups", Json::array({{{"name", "apps"}}})}});
    server.transport.answer("GET", kStatusMap, failure(404, "NotFound"), 404);
    const Preflight found = server.look(gpu_job(8));
    REQUIRE(found.obstacles.size() == 1);
    CHECK(found.obstacles[0].message == "job bert cannot run");
    CHECK(found.obstacles[0].why.find("a pod asks for 8 GPUs, the largest node has 2 GPUs") !=
          std::string::npos);
  }
}

TEST_CASE("preflight: if a node may be added or return, a job that is too large gets only a warning") {
  Server server;
  Json whole = node(2), job = gpu_job(8);
  SUBCASE("a node of a pool") {
    whole = node(2, {{"cloud.google.com/gke-nodepool", "gpus"}});
  }
  SUBCASE("a node of a cloud") {
    whole["spec"]["providerID"] = "aws:///eu/i-1";
  }
  SUBCASE("Karpenter") {
    server.transport.answer("GET", "/apis", {{"groups", Json::array({{{"name", "karpenter.sh"}}})}});
    server.transport.answer("GET", kStatusMap, failure(404, "NotFound"), 404);
  }
  SUBCASE("the cluster autoscaler") {
    server.transport.answer("GET", "/apis", {{"groups", Json::array()}});
    server.transport.answer("GET", kStatusMap, Json::object());
  }
  SUBCASE("no node group says whether it scales") {
    server.transport.answer("GET", "/apis", {{"groups", Json::array()}});
    server.transport.answer("GET", kStatusMap, failure(403, "Forbidden"), 403);
  }
  SUBCASE("the device plugin is not running") {
    whole["status"]["capacity"] = {{"nvidia.com/gpu", "8"}};
    server.transport.answer("GET", "/apis", {{"groups", Json::array()}});
    server.transport.answer("GET", kStatusMap, failure(404, "NotFound"), 404);
  }
  server.transport.answer("GET", kNodes, {{"items", Json::array({node(2)})}});
  server.transport.answer("GET", kNodes, {{"items", Json::array({whole})}});
  const Preflight found = server.look(job);
  CHECK(found.obstacles.empty());
  REQUIRE(found.warnings.size() == 1);
  CHECK(found.warnings[0].find("job bert may never start: ") == 0);
}

TEST_CASE("preflight: if nodes may not be listed, nothing is rejected") {
  Server server;
  server.transport.answer("GET", kNodes, failure(403, "Forbidden"), 403);
  const Preflight found = server.look(gpu_job(8));
  CHECK(found.obstacles.empty());
  CHECK(found.warnings.empty());
}

TEST_CASE("preflight: on the embedded server's only node, all pods of a gang must fit together") {
  Server server;
  Json job = gpu_job(1);
  job["spec"]["parallelism"] = 3;
  bool is_gang = false;
  SUBCASE("an array continues as its pods end") {}
  SUBCASE("a gang never starts") {
    is_gang = true;
    job["metadata"]["annotations"]["kml.dev/gang"] = "true";
    server.transport.answer("GET", kNodes, {{"items", Json::array({node(2)})}});
  }
  server.transport.answer("GET", kNodes, {{"items", Json::array({node(2)})}});
  CHECK(preflight(server.client, {job}, {}, true).obstacles.size() == (is_gang ? 1 : 0));
}

TEST_CASE("preflight: all replicas of a served program must fit on the nodes together") {
  for (const int replicas : {1, 2, 3}) {
    CAPTURE(replicas);
    Server server;
    Json served = gpu_job(2);
    served["apiVersion"] = "apps/v1";
    served["kind"] = "Deployment";
    served["metadata"]["labels"]["kml.dev/serve"] = "web";
    served["spec"]["replicas"] = replicas;
    server.transport.answer("GET", kNodes, {{"items", Json::array({node(4)})}});
    if (replicas == 3) server.transport.answer("GET", kNodes, {{"items", Json::array({node(4)})}});
    const Preflight found = preflight(server.client, {served}, {}, true);
    REQUIRE(found.obstacles.size() == (replicas == 3 ? 1 : 0));
    if (replicas == 3) CHECK(found.obstacles[0].fix.find("kml serve web --replicas N") != std::string::npos);
  }
}

TEST_CASE("preflight: a pod that a taint or a cordon keeps off a node is not reported as too large") {
  Server server;
  Json closed = node(2);
  closed["spec"] = {{"unschedulable", true},
                    {"taints", Json::array({{{"key", "mine"}, {"effect", "NoSchedule"}}})}};
  server.transport.answer("GET", kNodes, {{"items", Json::array({closed})}});
  const Preflight found = server.look(gpu_job(2));
  CHECK(found.obstacles.empty());
  CHECK(found.warnings.empty());
}

}  // namespace preflight_test
