#include "kml/jobs/trial.h"

#include <doctest/doctest.h>

#include "support/fake_transport.h"

namespace trial_test {

using namespace kml;
using namespace kml::jobs;

namespace {

const std::string kReviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const std::string kJobs = "/apis/batch/v1/namespaces/lab/jobs", kPods = "/api/v1/namespaces/lab/pods";

Json queued_job() {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata",
           {{"name", "bert"}, {"namespace", "lab"}, {"labels", {{"kueue.x-k8s.io/queue-name", "night"}}}}},
          {"spec", {{"template", {{"spec", {{"containers", Json::array({{{"name", "main"}}})}}}}}}}};
}

Json failure(int code, const char* reason) {
  return {{"kind", "Status"}, {"status", "Failure"}, {"code", code}, {"reason", reason}, {"message", reason}};
}

struct Server {
  FakeTransport transport;
  kube::Client client{transport, [](std::chrono::milliseconds) {}};

  /// Kueue as it is served, and one of its queues, which cannot be had.
  void queue(const Json& answer, int status) {
    transport.answer("GET", "/apis/kueue.x-k8s.io",
                     {{"kind", "APIGroup"}, {"preferredVersion", {{"version", "v1beta2"}}}});
    transport.answer("GET", "/apis/kueue.x-k8s.io/v1beta2/namespaces/lab/localqueues/night", answer, status);
  }
  void may(bool allowed) { transport.answer("POST", kReviews, {{"status", {{"allowed", allowed}}}}, 201); }
  Trial run() { return try_submit(client, {queued_job()}, {}); }
};

}  // namespace

TEST_CASE("trial: it sends dry runs and reviews only, and misses a queue that is not there") {
  Server server;
  server.may(true);
  server.transport.answer("POST", kJobs, queued_job(), 201);
  server.may(true);
  server.transport.answer("POST", kPods, {{"spec", queued_job()["spec"]["template"]["spec"]}}, 201);
  server.queue(failure(404, "NotFound"), 404);
  server.transport.answer("GET", "/api/v1/nodes", failure(403, "Forbidden"), 403);
  const Trial trial = server.run();
  REQUIRE(trial.obstacles.size() == 1);
  CHECK(trial.obstacles[0].message == "localqueue \"night\" does not exist in namespace lab");
  CHECK(trial.unknown.size() == 1);
  for (const http::Request& request : server.transport.requests)
    if (request.method != "GET" && !request.path.starts_with(kReviews))
      CHECK(request.path.find("dryRun=All") != std::string::npos);
}

TEST_CASE("trial: who may not create jobs is told so, whatever else there is") {
  Server server;
  server.may(false);
  server.may(false);  // pods: not tried
  server.queue(failure(403, "Forbidden"), 403);
  server.transport.answer("GET", "/api/v1/nodes", failure(403, "Forbidden"), 403);
  const Trial trial = server.run();
  REQUIRE(trial.obstacles.size() == 1);
  CHECK(trial.obstacles[0].code == ErrorCode::auth);
  CHECK(trial.unknown.size() == 2);
}

}  // namespace trial_test
