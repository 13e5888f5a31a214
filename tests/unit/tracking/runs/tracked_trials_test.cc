#include "tracking/runs/tracked_trials.h"

#include <doctest/doctest.h>

#include <cmath>

namespace tracked_trials_test {

using namespace kml;
using namespace kml::tracking;

TEST_CASE("tracked trials: each has its parameters, its values and its outcome") {
  sweep::SweepState state;
  const Json document =
      Json::parse(R"({"apiVersion": "kml.dev/v1", "kind": "Sweep", "metadata": {"name": "s"}, "spec": {
      "objective": {"type": "minimize", "objectiveMetricName": "loss", "additionalMetricNames": ["acc"]},
      "parameters": [{"name": "lr", "parameterType": "double", "feasibleSpace": {"min": 0, "max": 1}}],
      "trialTemplate": {"trialSpec": {"kind": "Job", "args": "{args}"}}}})");
  const Time begin = *parse_rfc3339("2026-11-20T08:00:00Z"), end = begin + std::chrono::minutes(1);
  state.apply({begin, sweep::record::Sweep{"id", document, Json::object()}});
  for (std::uint64_t number : {0, 1, 2, 3}) {
    state.apply({begin, sweep::record::Asked{number, {{"lr", 0.5}}}});
    state.apply({begin, sweep::record::Begun{number, "s-" + std::to_string(number)}});
  }
  sweep::record::Ended ended{0, sweep::Outcome::complete};
  ended.value = 2;
  ended.results.metrics = {{"acc", 0.875}};
  state.apply({end, ended});
  state.apply({end, sweep::record::Ended{1, sweep::Outcome::out_of_memory}});
  sweep::record::Ended diverged{3, sweep::Outcome::diverged};
  diverged.results = {{{1, 0.5}}, {}, {{"loss", {2, NAN}}}};
  state.apply({end, diverged});

  const std::vector<TrackedTrial> trials = tracked_trials(state, tracked_sweep(state, {}));
  REQUIRE(trials.size() == 4);
  const TrackedRun& run = trials[0].run;
  CHECK(run.id == "sweep/s/0");
  CHECK(run.name == "s trial 0");
  CHECK(run.state == "Succeeded");
  CHECK(run.time == begin);
  CHECK(run.finished == end);
  CHECK(run.parameters.at("lr") == 0.5);
  CHECK(run.facts.at("job") == "s-0");
  REQUIRE(trials[0].courses.at("loss").size() == 1);
  CHECK(trials[0].courses.at("loss")[0].value == 2);
  CHECK(trials[0].courses.at("acc")[0].value == 0.875);
  CHECK(trials[1].run.state == "Failed");
  CHECK(trials[1].run.cause == "out of memory");
  CHECK(trials[1].courses.at("loss").empty());
  CHECK(trials[3].run.state == "Failed");
  REQUIRE(trials[3].courses.at("loss").size() == 2);
  CHECK(trials[3].courses.at("loss")[0].value == 0.5);
  CHECK(trials[3].courses.at("loss")[1].step == 2);
  CHECK(std::isnan(trials[3].courses.at("loss")[1].value));
  CHECK(trials[2].run.state == "Running");
  CHECK(!trials[2].run.finished);
}

}  // namespace tracked_trials_test
