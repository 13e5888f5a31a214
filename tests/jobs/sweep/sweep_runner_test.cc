#include <doctest/doctest.h>

#include <algorithm>

#include "kml/jobs/sweep_runner.h"
#include "support/fake_transport.h"

namespace kml::jobs {

namespace {

using sweep::TrialReport;

Json list_of(std::vector<Json> items) {
  return {{"metadata", {{"resourceVersion", "1"}}}, {"items", std::move(items)}};
}

/// What is told of a trial whose only pod so far has that phase and metadata, while its Job has not ended.
std::vector<TrialReport> told_of(const Json& spec, const std::string& phase,
                                 Json pod_metadata = Json::object()) {
  const std::string jobs = "/apis/batch/v1/namespaces/team/jobs", pods = "/api/v1/namespaces/team/pods";
  const Json job = {{"apiVersion", "batch/v1"},
                    {"kind", "Job"},
                    {"metadata", {{"name", "s-0"}, {"uid", "j"}, {"resourceVersion", "1"}}},
                    {"spec", spec},
                    {"status", {{"active", 1}}}};
  pod_metadata.update({{"name", "s-0-x"},
                       {"uid", "p"},
                       {"resourceVersion", "1"},
                       {"labels", {{"batch.kubernetes.io/job-name", "s-0"}}}});
  const Json pod = {{"metadata", std::move(pod_metadata)},
                    {"spec", {{"nodeName", "node1"}, {"containers", {{{"name", "main"}}}}}},
                    {"status",
                     {{"phase", phase},
                      {"containerStatuses",
                       {{{"name", "main"},
                         {"state", {{"terminated", {{"reason", "Completed"}, {"message", "score=3"}}}}}}}}}}};
  FakeTransport transport;
  transport.answer("GET", jobs, list_of({job}));
  transport.answer("GET", pods, list_of({pod}));
  transport.stub("GET", jobs, {.stays_open = true});
  transport.stub("GET", pods, {.stays_open = true});
  transport.answer("POST", jobs, job);
  kube::Client client(transport);
  SweepRunnerOptions options;
  options.sweep = "s";
  options.submit_id = "id";
  options.namespace_name = "team";
  options.reads_logs = false;
  options.manifest = [&](const sweep::TrialJob&) -> Json {
    return {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", {{"name", "s-0"}}}, {"spec", spec}};
  };
  const Interrupt interrupt;
  const auto runner = make_sweep_runner(client, options, interrupt);
  sweep::TrialJob trial;
  trial.name = "s-0";
  runner->start({trial});
  std::vector<TrialReport> told;
  for (int i = 0; i < 5; ++i)
    for (TrialReport& report : runner->wait(std::chrono::seconds(1))) told.push_back(std::move(report));
  return told;
}

bool has_end(const std::vector<TrialReport>& told) {
  return std::any_of(told.begin(), told.end(), [](const TrialReport& report) {
    return report.kind == TrialReport::Kind::ended && report.succeeded;
  });
}

}  // namespace

TEST_CASE("sweep runner: a trial has succeeded with its only pod, before its Job says so") {
  const std::vector<TrialReport> told = told_of({}, "Succeeded");
  CHECK(has_end(told));
  CHECK(std::any_of(told.begin(), told.end(), [](const TrialReport& report) { return report.value == 3; }));
}

TEST_CASE("sweep runner: a Job decides itself on a pod that failed, was deleted, or is one of several") {
  CHECK_FALSE(has_end(told_of({}, "Failed")));
  CHECK_FALSE(has_end(told_of({}, "Succeeded", {{"deletionTimestamp", "2026-01-01T00:00:00Z"}})));
  CHECK_FALSE(has_end(told_of({{"completions", 2}}, "Succeeded")));
  CHECK_FALSE(has_end(told_of({{"parallelism", 2}}, "Succeeded")));
}

}  // namespace kml::jobs
