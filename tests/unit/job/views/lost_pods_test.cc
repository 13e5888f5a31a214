#include "job/views/lost_pods.h"

#include <doctest/doctest.h>

#include "job/why/objects.h"
#include "support/fake_transport.h"

namespace lost_pods_test {

using namespace kml;
using namespace kml::test;

namespace {

constexpr const char* kPods = "/api/v1/namespaces/lab/pods";

/// A running pod of the job, on a node that does not answer.
Json lost_pod(const Json& job) {
  Json pod = on_node(make_pod(job), "n3");
  pod["status"]["conditions"] =
      parse_json(R"([{"type": "Ready", "status": "False", "lastTransitionTime": "2026-01-01T01:58:00Z"},
      {"type": "ContainersReady", "status": "True"}])",
                 "conditions");
  return pod;
}

Json running_job(const std::string& name, int ready) {
  Json job = make_job(name);
  job["status"] = {{"active", 1}, {"ready", ready}};
  return job;
}

Json ended(Json job, int terminating) {
  job["status"] = {{"terminating", terminating},
                   {"conditions", Json::array({{{"type", "Failed"}, {"status", "True"}}})}};
  return job;
}

}  // namespace

TEST_CASE("lost pods: pods are only read for jobs whose own status does not show that all pods answer") {
  Json cancelled = running_job("bert", 0);
  cancelled["metadata"]["annotations"]["kml.dev/cancelled"] = "2026-01-01T01:59:00Z";
  struct Row {
    const char* what;
    Json job;
    bool is_read;
  };
  for (const Row& row : std::vector<Row>{
           {"its pod does not report that it is ready", running_job("bert", 0), true},
           {"it is being cancelled", cancelled, true},
           {"it has ended, but a pod has not stopped", ended(make_job("bert"), 1), true},
           {"its pod is ready", running_job("bert", 1), false},
           {"it has no pods", make_job("bert"), false},
           {"it has ended", ended(make_job("bert"), 0), false},
       }) {
    CAPTURE(row.what);
    FakeTransport transport;
    kube::Client client(transport);
    if (row.is_read) transport.answer("GET", kPods, {{"items", Json::array({lost_pod(row.job)})}});
    const job::LostPods lost = job::lost_pods_of(client, {row.job});
    CHECK(lost.empty() != row.is_read);
    if (row.is_read) CHECK(lost.brief() == "node n3 does not answer: pod bert-0 may still run");
  }
}

TEST_CASE("lost pods: one request reads the pods of many jobs") {
  FakeTransport transport;
  kube::Client client(transport);
  std::vector<Json> jobs, pods;
  for (int i = 0; i < 11; ++i) {
    jobs.push_back(running_job("lr1-" + std::to_string(i), 0));
    pods.push_back(i < 2 ? lost_pod(jobs.back()) : on_node(make_pod(jobs.back()), "n1"));
  }
  transport.answer("GET", kPods, {{"items", pods}});
  CHECK(job::lost_pods_of(client, jobs).brief() ==
        "node n3 does not answer: pods lr1-0-0, lr1-1-0 may still run");
}

}  // namespace lost_pods_test
