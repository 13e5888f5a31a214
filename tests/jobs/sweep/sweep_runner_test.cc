#include <doctest/doctest.h>

#include <algorithm>

#include "jobs/sweep/runner_fixture.h"

namespace kml::jobs {

namespace {

using sweep::TrialReport;

/// What is told of a trial whose only pod so far has that phase and metadata, while its Job has not ended.
std::vector<TrialReport> told_with(const Json& spec, const std::string& phase,
                                   Json pod_metadata = Json::object()) {
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
  RunnerFixture server;
  server.serve(job, {pod});
  server.transport.answer("POST", server.jobs, job);
  SweepRunnerOptions options = RunnerFixture::options();
  options.manifest = [&](const sweep::TrialJob&) -> Json {
    return {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", {{"name", "s-0"}}}, {"spec", spec}};
  };
  const auto runner = make_sweep_runner(server.client, options, server.interrupt);
  return RunnerFixture::told_of(*runner, {"s-0"});
}

bool has_end(const std::vector<TrialReport>& told) {
  return RunnerFixture::successes(told) > 0;
}

}  // namespace

TEST_CASE("sweep runner: a trial has succeeded with its only pod, before its Job says so") {
  const std::vector<TrialReport> told = told_with({}, "Succeeded");
  CHECK(has_end(told));
  CHECK(std::any_of(told.begin(), told.end(), [](const TrialReport& report) { return report.value == 3; }));
}

TEST_CASE("sweep runner: a Job decides itself on a pod that failed, was deleted, or is one of several") {
  CHECK_FALSE(has_end(told_with({}, "Failed")));
  CHECK_FALSE(has_end(told_with({}, "Succeeded", {{"deletionTimestamp", "2026-01-01T00:00:00Z"}})));
  CHECK_FALSE(has_end(told_with({{"completions", 2}}, "Succeeded")));
  CHECK_FALSE(has_end(told_with({{"parallelism", 2}}, "Succeeded")));
}

}  // namespace kml::jobs
