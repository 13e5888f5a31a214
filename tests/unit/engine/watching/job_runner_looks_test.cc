#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kml/engine/watching/job_runner.h"
#include "support/fake_transport.h"

namespace kml::engine::job_runner_looks_test {

namespace {

const std::string kJobs = "/apis/batch/v1/namespaces/team/jobs", kPods = "/api/v1/namespaces/team/pods";

Json job_number(int number) {
  const std::string name = "a" + std::to_string(number);
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata",
           {{"name", name},
            {"namespace", "team"},
            {"uid", "uid of " + name},
            {"resourceVersion", "1"},
            {"labels", {{"kml.dev/submit-id", "id"}}}}},
          {"spec", {{"template", {{"spec", {{"containers", Json::array({{{"name", "main"}}})}}}}}}}};
}

Json pod_of(int number) {
  const Json job = job_number(number);
  const std::string name = job["metadata"]["name"];
  const Json owner = {{"apiVersion", "batch/v1"},
                      {"kind", "Job"},
                      {"name", name},
                      {"uid", job["metadata"]["uid"]},
                      {"controller", true}};
  const Json running = {{"running", {{"startedAt", "2026-01-01T00:00:00Z"}}}};
  Json pod = {{"apiVersion", "v1"}, {"kind", "Pod"}};
  pod["metadata"] = {{"name", name + "-x"},
                     {"namespace", "team"},
                     {"uid", "pod of " + name},
                     {"resourceVersion", "2"},
                     {"labels", {{"job-name", name}}},
                     {"ownerReferences", Json::array({owner})}};
  pod["spec"]["nodeName"] = "node1";
  pod["spec"]["containers"] = Json::array({{{"name", "main"}}});
  pod["status"] = {{"phase", "Running"},
                   {"startTime", "2026-01-01T00:00:00Z"},
                   {"containerStatuses", Json::array({{{"name", "main"}, {"state", running}}})}};
  return pod;
}

/// How often an engine with that many jobs reads one of them while each gets a running pod, in a separate
/// event.
int looks_for(int count) {
  FakeTransport transport;
  kube::Client client{transport};
  const job::Interrupt interrupt;
  int looks = 0;
  WatchOptions options{.label_selector = "run=p",
                       .submit_id = "id",
                       .namespace_name = "team",
                       .taken = {"this pipeline", "its steps need that name", "rename the step"},
                       .reads_logs = false};
  options.on_look = [&] { ++looks; };
  const auto runner = make_job_runner(client, options, interrupt);
  std::vector<Json> jobs;
  std::vector<std::string> events;
  for (int i = 0; i < count; ++i) {
    jobs.push_back(job_number(i));
    transport.answer("POST", kJobs, jobs.back());
    events.push_back(Json{{"type", "ADDED"}, {"object", pod_of(i)}}.dump() + "\n");
  }
  transport.answer("GET", kJobs, {{"metadata", {{"resourceVersion", "1"}}}, {"items", jobs}});
  transport.answer("GET", kPods, {{"metadata", {{"resourceVersion", "1"}}}, {"items", Json::array()}});
  transport.stub("GET", kJobs, {.stays_open = true});
  transport.stub("GET", kPods,
                 {.pieces = events, .stays_open = true, .between = std::chrono::milliseconds(1)});
  runner->start(jobs);
  size_t told = 0;
  for (int i = 0; i < 2000 + 2 * count && told < static_cast<size_t>(count); ++i)
    told += runner->wait(std::chrono::milliseconds(1)).size();
  CHECK(told >= static_cast<size_t>(count));  // each job is reported as running
  return looks;
}

}  // namespace

TEST_CASE("job runner: the number of reads of jobs grows with the number of events, not with its square") {
  const int few = looks_for(50), many = looks_for(400);
  CAPTURE(few);
  CAPTURE(many);
  CHECK(many <= 8 * few + 50);
}

}  // namespace kml::engine::job_runner_looks_test
