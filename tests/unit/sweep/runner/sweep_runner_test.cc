#include <doctest/doctest.h>

#include <algorithm>

#include "engine/watching/job_pods.h"
#include "support/owner.h"
#include "sweep/runner/runner_fixture.h"

namespace kml::sweep::sweep_runner_test {

namespace {

using sweep::TrialReport;

/// The reports about a trial with a single pod that has this phase and metadata, while the trial's Job has
/// not ended.
std::vector<TrialReport> told_with(const Json& spec, const std::string& phase,
                                   Json pod_metadata = Json::object()) {
  const Json job = {{"apiVersion", "batch/v1"},
                    {"kind", "Job"},
                    {"metadata", {{"name", "s-0"}, {"uid", "j"}, {"resourceVersion", "1"}}},
                    {"spec", spec},
                    {"status", {{"active", 1}}}};
  pod_metadata.update({{"name", "s-0-x"}, {"uid", "p"}, {"resourceVersion", "1"}});
  if (!pod_metadata.contains("ownerReferences")) pod_metadata["ownerReferences"] = controlled_by("s-0", "j");
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
  return RunnerFixture::told_of(*runner, {"s-0"}, 3);
}

bool has_end(const std::vector<TrialReport>& told) {
  return RunnerFixture::successes(told) > 0;
}

}  // namespace

TEST_CASE(
    "sweep runner: a trial has succeeded when its only pod has succeeded, even before its Job reports that") {
  const std::vector<TrialReport> told = told_with({}, "Succeeded");
  CHECK(has_end(told));
  CHECK(std::any_of(told.begin(), told.end(), [](const TrialReport& report) { return report.value == 3; }));
}

TEST_CASE("sweep runner: a trial ends with its only pod if that succeeded; otherwise, it ends with its Job") {
  CHECK_FALSE(has_end(told_with({}, "Failed")));
  CHECK_FALSE(has_end(told_with({}, "Succeeded", {{"deletionTimestamp", "2026-01-01T00:00:00Z"}})));
  CHECK_FALSE(has_end(told_with({{"completions", 2}}, "Succeeded")));
  CHECK_FALSE(has_end(told_with({{"parallelism", 2}}, "Succeeded")));
}

TEST_CASE("sweep runner: a pod of an earlier job with the same name does not belong to the trial") {
  CHECK(has_end(told_with({}, "Succeeded", {{"ownerReferences", controlled_by("s-0", "j")}})));
  CHECK(told_with({}, "Succeeded", {{"ownerReferences", controlled_by("s-0", "earlier")}}).empty());
}

TEST_CASE_FIXTURE(RunnerFixture, "sweep runner: an earlier sweep with the same name is not watched") {
  const Json job = {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", {{"name", "s-0"}}}};
  serve(job, {});
  transport.answer("POST", jobs, job);
  SweepRunnerOptions options = RunnerFixture::options();
  options.manifest = [&](const sweep::TrialJob&) { return job; };
  told_of(*make_sweep_runner(client, options, interrupt), {"s-0"}, 3);
  const std::string selector = "labelSelector=kml.dev%2Fsweep%3Ds%2Ckml.dev%2Fsubmit-id%3Did";
  for (const http::Request& request : transport.requests)
    if (request.method == "GET") CHECK(request.path.find(selector) != std::string::npos);
}

TEST_CASE_FIXTURE(RunnerFixture,
                  "sweep runner: a pod deleted during a gap in the watch is known to be gone") {
  const Json job = {{"apiVersion", "batch/v1"},
                    {"kind", "Job"},
                    {"metadata", {{"name", "s-0"}, {"uid", "j"}, {"resourceVersion", "1"}}},
                    {"spec", {{"suspend", true}}}};
  const Json pod = {{"metadata",
                     {{"name", "s-0-x"},
                      {"uid", "p"},
                      {"resourceVersion", "1"},
                      {"ownerReferences", controlled_by("s-0", "j")}}},
                    {"spec", {{"nodeName", "node1"}, {"containers", {{{"name", "main"}}}}}},
                    {"status", {{"phase", "Running"}, {"startTime", "2026-01-01T00:00:00Z"}}}};
  const Json expired = {{"type", "ERROR"}, {"object", {{"kind", "Status"}, {"code", 410}}}};
  transport.answer("POST", jobs, job);
  transport.answer("GET", pods, list_of({pod}));
  transport.stub("GET", pods, {.pieces = {expired.dump() + "\n"}});
  serve(job, {});
  SweepRunnerOptions options = RunnerFixture::options();
  options.manifest = [&](const sweep::TrialJob&) { return job; };
  const auto runner = make_sweep_runner(client, options, interrupt);
  const std::vector<TrialReport> told = told_of(*runner, {"s-0"}, 4);
  std::vector<TrialReport::Kind> kinds;
  for (const TrialReport& report : told) kinds.push_back(report.kind);
  using enum TrialReport::Kind;
  CHECK(kinds == std::vector{waiting, running, waiting});
}

}  // namespace kml::sweep::sweep_runner_test
