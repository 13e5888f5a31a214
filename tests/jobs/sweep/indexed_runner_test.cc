#include <doctest/doctest.h>

#include <algorithm>

#include "kml/jobs/sweep_runner.h"
#include "support/fake_transport.h"

namespace kml::jobs {

namespace {

using sweep::TrialReport;

const Json kEndedJob = {
    {"apiVersion", "batch/v1"},
    {"kind", "Job"},
    {"metadata",
     {{"name", "s"}, {"uid", "j"}, {"resourceVersion", "1"}, {"labels", {{"kml.dev/submit-id", "id"}}}}},
    {"spec", {{"completionMode", "Indexed"}, {"parallelism", 2}}},
    {"status", {{"completedIndexes", "0,1"}, {"conditions", {{{"type", "Complete"}, {"status", "True"}}}}}}};

Json pod(const std::string& index, const std::string& phase, const std::string& message) {
  return {{"metadata",
           {{"name", "s-" + index},
            {"uid", "u" + index},
            {"resourceVersion", "1"},
            {"labels",
             {{"batch.kubernetes.io/job-name", "s"},
              {"batch.kubernetes.io/controller-uid", "j"},
              {"batch.kubernetes.io/job-completion-index", index}}}}},
          {"spec", {{"nodeName", "node1"}, {"containers", {{{"name", "main"}}}}}},
          {"status",
           {{"phase", phase},
            {"containerStatuses",
             {{{"name", "main"},
               {"state", {{"terminated", {{"reason", "Completed"}, {"message", message}}}}}}}}}}};
}

Json list_of(std::vector<Json> items) {
  return {{"metadata", {{"resourceVersion", "1"}}}, {"items", std::move(items)}};
}

}  // namespace

TEST_CASE("indexed runner: of a Job that is over, only pods that the watch did not bring are listed") {
  const std::string jobs = "/apis/batch/v1/namespaces/team/jobs", pods = "/api/v1/namespaces/team/pods";
  FakeTransport transport;
  transport.answer("GET", jobs + "/s", kEndedJob);
  transport.answer("GET", jobs, list_of({kEndedJob}));
  transport.answer("GET", pods, list_of({pod("0", "Succeeded", "score=1"), pod("1", "Running", "")}));
  transport.stub("GET", jobs, {.stays_open = true});
  transport.stub("GET", pods, {.stays_open = true});
  transport.answer(
      "GET",
      pods +
          "?labelSelector=job-name%3Ds%2Cbatch.kubernetes.io%2Fjob-completion-index%20in%20%281%29"
          "&limit=500",
      list_of({pod("1", "Succeeded", "score=2")}));
  kube::Client client(transport);
  sweep::SweepSpec spec;
  spec.parallel = 2;
  SweepRunnerOptions options;
  options.sweep = "s";
  options.submit_id = "id";
  options.namespace_name = "team";
  options.reads_logs = false;
  const Interrupt interrupt;
  const auto runner = make_indexed_runner(client, options, spec, "here", interrupt);
  std::vector<sweep::TrialJob> trials(2);
  trials[0].name = "s-0";
  trials[1].name = "s-1";
  runner->start(trials);
  std::vector<TrialReport> told;
  for (int i = 0; i < 5; ++i)
    for (TrialReport& report : runner->wait(std::chrono::seconds(1))) told.push_back(std::move(report));
  const auto value_of = [&](const std::string& job) {
    const auto metric = std::find_if(told.begin(), told.end(), [&](const TrialReport& report) {
      return report.kind == TrialReport::Kind::metric && report.job == job;
    });
    return metric == told.end() ? 0 : metric->value;
  };
  CHECK(value_of("s-0") == 1);
  CHECK(value_of("s-1") == 2);
  CHECK(std::count_if(told.begin(), told.end(), [](const TrialReport& report) {
          return report.kind == TrialReport::Kind::ended && report.succeeded;
        }) == 2);
}

}  // namespace kml::jobs
