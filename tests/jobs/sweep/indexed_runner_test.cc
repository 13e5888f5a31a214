#include <doctest/doctest.h>

#include <algorithm>

#include "jobs/sweep/runner_fixture.h"

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

}  // namespace

TEST_CASE_FIXTURE(
    RunnerFixture,
    "indexed runner: of a Job that is over, only pods that the watch did not bring are listed") {
  transport.answer("GET", jobs + "/s", kEndedJob);
  serve(kEndedJob, {pod("0", "Succeeded", "score=1"), pod("1", "Running", "")});
  transport.answer(
      "GET",
      pods +
          "?labelSelector=job-name%3Ds%2Cbatch.kubernetes.io%2Fjob-completion-index%20in%20%281%29"
          "&limit=500",
      list_of({pod("1", "Succeeded", "score=2")}));
  sweep::SweepSpec spec;
  spec.parallel = 2;
  const auto runner = make_indexed_runner(client, options(), spec, "here", interrupt);
  const std::vector<TrialReport> told = told_of(*runner, {"s-0", "s-1"});
  const auto value_of = [&](const std::string& job) {
    const auto metric = std::find_if(told.begin(), told.end(), [&](const TrialReport& report) {
      return report.kind == TrialReport::Kind::metric && report.job == job;
    });
    return metric == told.end() ? 0 : metric->value;
  };
  CHECK(value_of("s-0") == 1);
  CHECK(value_of("s-1") == 2);
  CHECK(successes(told) == 2);
}

}  // namespace kml::jobs
