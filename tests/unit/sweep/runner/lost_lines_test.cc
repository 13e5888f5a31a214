#include <doctest/doctest.h>

#include <algorithm>

#include "support/owner.h"
#include "sweep/runner/runner_fixture.h"

namespace kml::sweep::lost_lines_test {

namespace {

using sweep::TrialReport;

const std::string kFirstLine = "2026-01-01T00:00:01.000000000Z epoch=1 loss=9\n";
const std::string kLastLine = "2026-01-01T00:00:02.000000000Z epoch=2 loss=3\n";

/// The completed Job of a trial, and the pod that it had.
struct EndedTrial : RunnerFixture {
  const Json job = {
      {"apiVersion", "batch/v1"},
      {"kind", "Job"},
      {"metadata", {{"name", "s-0"}, {"namespace", "team"}, {"uid", "j"}, {"resourceVersion", "1"}}},
      {"spec", Json::object()},
      {"status", {{"succeeded", 1}, {"conditions", {{{"type", "Complete"}, {"status", "True"}}}}}}};
  const Json pod = {
      {"metadata",
       {{"name", "s-0-x"},
        {"namespace", "team"},
        {"uid", "p"},
        {"resourceVersion", "1"},
        {"ownerReferences", controlled_by("s-0", "j")}}},
      {"spec", {{"nodeName", "node1"}, {"containers", {{{"name", "main"}}}}}},
      {"status",
       {{"phase", "Succeeded"},
        {"startTime", "2026-01-01T00:00:00Z"},
        {"containerStatuses",
         {{{"name", "main"},
           {"state",
            {{"terminated", {{"exitCode", 0}, {"reason", "Completed"}, {"containerID", "c"}}}}}}}}}}};
  const std::string log = pods + "/s-0-x/log";

  /// The runner's report of the trial's end.
  TrialReport end() {
    transport.answer("POST", jobs, job);
    SweepRunnerOptions trial_options = options();
    trial_options.collector.reads_message = false;
    trial_options.manifest = [&](const sweep::TrialJob&) { return job; };
    const auto runner = make_sweep_runner(client, trial_options, interrupt);
    std::vector<TrialReport> told = told_of(*runner, {"s-0"}, 120);
    REQUIRE(!told.empty());
    REQUIRE(told.back().kind == TrialReport::Kind::ended);
    CHECK(told.back().succeeded);
    return told.back();
  }

  /// The pods are listed as soon as the runner sees the job's end.
  void serve_with(const std::vector<Json>& served_pods) {
    transport.answer("GET", pods, list_of(served_pods));
    serve(job, served_pods);
  }

  void refuse_log(int times) {
    for (int i = 0; i < times; ++i)
      transport.answer("GET", log, {{"kind", "Status"}, {"code", 500}, {"message", "i/o timeout"}}, 500);
  }
};

}  // namespace

TEST_CASE_FIXTURE(EndedTrial, "sweep runner: a log that was read to its end has lost no lines") {
  serve_with({pod});
  SUBCASE("at once") {
    transport.stub("GET", log, {.pieces = {kFirstLine, kLastLine}});
  }
  SUBCASE("after a failure") {
    transport.stub("GET", log, FakeTransport::break_connection({kFirstLine}));
    refuse_log(3);
    transport.stub("GET", log, {.pieces = {kFirstLine, kLastLine}});
  }
  CHECK_FALSE(end().lost_lines);
}

TEST_CASE_FIXTURE(EndedTrial, "sweep runner: lines are lost if the log's end cannot be read") {
  serve_with({pod});
  transport.stub("GET", log, FakeTransport::break_connection({kFirstLine}));
  refuse_log(5);
  CHECK(end().lost_lines);
}

TEST_CASE_FIXTURE(EndedTrial,
                  "sweep runner: lines are lost with a pod that is deleted before they were read") {
  transport.answer("GET", pods, list_of({pod}));
  transport.answer("GET", jobs, list_of({job}));
  transport.stub("GET", jobs, {.stays_open = true});
  transport.answer("GET", pods, list_of({pod}));
  transport.stub("GET", pods,
                 {.pieces = {"", Json{{"type", "DELETED"}, {"object", pod}}.dump() + "\n"},
                  .stays_open = true,
                  .between = std::chrono::milliseconds(1500)});
  transport.stub("GET", log, FakeTransport::break_connection({kFirstLine}));
  refuse_log(2);
  CHECK(end().lost_lines);
}

TEST_CASE_FIXTURE(EndedTrial, "sweep runner: lines are lost with a pod that no longer exists") {
  serve_with({});
  CHECK(end().lost_lines);
}

}  // namespace kml::sweep::lost_lines_test
