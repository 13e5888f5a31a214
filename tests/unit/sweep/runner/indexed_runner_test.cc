#include <doctest/doctest.h>

#include <algorithm>

#include "support/owner.h"
#include "sweep/runner/runner_fixture.h"

namespace kml::sweep::indexed_runner_test {

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
              {"batch.kubernetes.io/job-completion-index", index}}},
            {"ownerReferences", controlled_by("s", "j")}}},
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
    "indexed runner: after a Job has ended, only pods whose ends the watch did not deliver are listed") {
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

TEST_CASE_FIXTURE(
    RunnerFixture,
    "indexed runner: the completed indexes of a finished Job are known before any watch reports them") {
  transport.answer("GET", jobs + "/s", kEndedJob);
  transport.answer("GET", jobs, list_of({}));
  transport.answer("GET", pods, list_of({}));
  transport.stub("GET", jobs, {.stays_open = true});
  transport.stub("GET", pods, {.stays_open = true});
  transport.answer("GET",
                   pods +
                       "?labelSelector=job-name%3Ds%2Cbatch.kubernetes.io%2Fjob-completion-index%20in%20%280"
                       "%2C1%29&limit=500",
                   list_of({}));
  sweep::SweepSpec spec;
  spec.parallel = 2;
  const auto runner = make_indexed_runner(client, options(), spec, "here", interrupt);
  const std::vector<TrialReport> told = told_of(*runner, {"s-0", "s-1"});
  CHECK(successes(told) == 2);
  for (const TrialReport& report : told) CHECK(report.lost_lines);
}

TEST_CASE_FIXTURE(RunnerFixture,
                  "indexed runner: a pod that replaces a disrupted one starts from the beginning") {
  Json job = kEndedJob;
  job["status"] = {{"active", 1}};
  Json first = pod("0", "Failed", ""), second = pod("0", "Succeeded", "score=2");
  const auto ran = [](Json& one, const char* name, const char* from, const char* to) {
    one["metadata"]["name"] = one["metadata"]["uid"] = name;
    one["metadata"]["creationTimestamp"] = one["status"]["startTime"] = from;
    one["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"] = to;
    one["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = "2";
  };
  ran(first, "a", "2026-01-01T00:00:00Z", "2026-01-01T00:00:10Z");
  ran(second, "b", "2026-01-01T00:01:00Z", "2026-01-01T00:01:05Z");
  transport.answer("GET", jobs + "/s", job);
  serve(job, {first, second});
  sweep::SweepSpec spec;
  spec.parallel = 2;
  const auto runner = make_indexed_runner(client, options(), spec, "here", interrupt);
  const std::vector<TrialReport> told = told_of(*runner, {"s-0", "s-1"}, 3);
  CHECK(std::count_if(told.begin(), told.end(), [](const auto& report) { return report.begun_anew; }) == 1);
  REQUIRE(successes(told) == 1);
  CHECK(told.back().gpu_seconds == 30);
}

TEST_CASE_FIXTURE(RunnerFixture, "indexed runner: waves share the sweep's parallelism") {
  const auto job_called = [](const char* name, const char* uid) {
    Json job = kEndedJob;
    job["metadata"]["name"] = name;
    job["metadata"]["uid"] = uid;
    job["status"] = {{"active", 2}};
    return job;
  };
  const Json first = job_called("s", "j"), second = job_called("s-w1", "k");
  transport.answer("GET", jobs + "/s", first);
  transport.answer("GET", jobs + "/s-w1", second);
  transport.answer("PATCH", jobs + "/s-w1", second);
  transport.answer("PATCH", jobs + "/s-w1", second);
  serve(first, {pod("0", "Succeeded", "score=1"), pod("1", "Running", "")});
  sweep::SweepSpec spec;
  spec.parallel = 2;
  const auto runner = make_indexed_runner(client, options(), spec, "here", interrupt);
  std::vector<sweep::TrialJob> wave(2);
  wave[0].name = "s-0", wave[1].name = "s-1";
  runner->start(wave);
  told_of(*runner, {"s-w1-0", "s-w1-1"}, 3);
  std::vector<std::string> shares;
  for (const http::Request& request : transport.requests)
    if (request.method == "PATCH") shares.push_back(request.body);
  CHECK(shares == std::vector<std::string>{R"({"spec":{"parallelism":0}})", R"({"spec":{"parallelism":1}})"});
}

TEST_CASE_FIXTURE(RunnerFixture, "indexed runner: a request that a failing server rejects is repeated") {
  const Json busy = {{"kind", "Status"}, {"status", "Failure"}, {"code", 503}, {"message", "no leader"}};
  const std::string listed =
      pods +
      "?labelSelector=job-name%3Ds%2Cbatch.kubernetes.io%2Fjob-completion-index%20in%20%281%29&limit=500";
  is_unwell("GET", jobs + "/s");
  transport.answer("GET", jobs + "/s", kEndedJob);
  is_unwell("GET", listed);
  transport.answer("GET", listed, list_of({pod("1", "Succeeded", "score=2")}));
  serve(kEndedJob, {pod("0", "Succeeded", "score=1"), pod("1", "Running", "")});
  sweep::SweepSpec spec;
  spec.parallel = 2;
  SweepRunnerOptions told_options = options();
  int retries = 0;
  told_options.on_retry = [&](const Error&) { ++retries; };
  const auto runner = make_indexed_runner(client, told_options, spec, "here", interrupt);
  const std::vector<TrialReport> told = told_of(*runner, {"s-0", "s-1"}, 9);
  CHECK(successes(told) == 2);
  CHECK(std::count_if(told.begin(), told.end(),
                      [](const auto& report) { return report.kind == TrialReport::Kind::metric; }) == 2);
  CHECK(retries == 2);
}

TEST_CASE_FIXTURE(RunnerFixture, "indexed runner: a Job that was not created yet can be stopped") {
  const Json missing = {{"kind", "Status"}, {"status", "Failure"}, {"reason", "NotFound"}, {"code", 404}};
  is_unwell("GET", jobs + "/s");
  serve(std::vector<Json>{}, {});
  sweep::SweepSpec spec;
  spec.parallel = 2;
  const auto runner = make_indexed_runner(client, options(), spec, "here", interrupt);
  CHECK(told_of(*runner, {"s-0", "s-1"}, 0).empty());
  transport.answer("GET", jobs + "/s", missing, 404);
  runner->stop("s-0");
  const std::vector<TrialReport> told = runner->wait(std::chrono::seconds(2));
  REQUIRE(told.size() == 2);
  CHECK(told[0].kind == TrialReport::Kind::gone);
}

TEST_CASE_FIXTURE(RunnerFixture,
                  "indexed runner: a failed cancellation and a failed change of a share are repeated") {
  Json job = kEndedJob;
  job["metadata"]["namespace"] = "team";
  job["status"] = {{"active", 2}};
  transport.answer("GET", jobs + "/s", job);
  serve(job, {});
  sweep::SweepSpec spec;
  spec.parallel = 1;
  const auto runner = make_indexed_runner(client, options(), spec, "here", interrupt);
  is_unwell("PATCH", jobs + "/s");
  transport.answer("PATCH", jobs + "/s", job);
  told_of(*runner, {"s-0", "s-1"}, 2);
  runner->stop("s-1");
  transport.answer("GET", pods, list_of({}));
  is_unwell("PATCH", jobs + "/s");
  transport.answer("GET", pods, list_of({}));
  transport.answer("PATCH", jobs + "/s", job);
  for (int i = 0; i < 2; ++i) runner->wait(std::chrono::seconds(1));
}

}  // namespace kml::sweep::indexed_runner_test
