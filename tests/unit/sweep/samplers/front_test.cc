#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kml/base/error.h"
#include "kml/sweep/samplers/sampler.h"
#include "sweep/engine/replay.h"
#include "sweep/samplers/front.h"
#include "sweep/tested_sweep.h"

namespace front_test {

using namespace kml;
using namespace kml::sweep;

namespace {

Json two_objectives(Json more = Json::object()) {
  more["objectives"] = Json::array({{{"type", "minimize"}, {"objectiveMetricName", "loss"}},
                                    {{"type", "maximize"}, {"objectiveMetricName", "speed"}}});
  Json document = document_of(more);
  document["spec"].erase("objective");
  return document;
}

/// The objectives are (x - 0.3)^2 and a speed of x, so the front is x from 0.3 to 1.
std::vector<TrialReport> fast_or_good(const TrialJob& job) {
  const double loss = (x_of(job) - 0.3) * (x_of(job) - 0.3);
  return {report_of(job, TrialReport::Kind::running), metric_of(job, 1, x_of(job), "speed"),
          metric_of(job, 1, loss), end_of(job)};
}

std::string problems_of(const Json& document) {
  try {
    parse_sweep(document, "s.yaml");
  } catch (const Error& error) {
    return describe(error);
  }
  return "";
}

}  // namespace

TEST_CASE("front: ranks are those of non-dominated sorting") {
  const std::vector<Costs> trials = {{1, 4}, {2, 2}, {4, 1}, {2, 3}, {3, 3}, {2, 2}, {5, 5}};
  CHECK(ranks_of(trials) == std::vector<size_t>{0, 0, 0, 1, 2, 0, 3});
  CHECK_FALSE(dominates({1, 2}, {1, 2}));
  CHECK(dominates({1, 2}, {1, 3}));
}

TEST_CASE("front: the Gaussian process finds more of a front than random search") {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 4; ++i) parameters.push_back({.name = "x" + std::to_string(i), .low = 0, .high = 1});
  const Space space(parameters);
  const auto near_front = [&](const std::string& name) {  // for ZDT1; on its front, x1 to x3 are 0
    const auto sampler = make_sampler(name, space, {.seed = 1, .objectives = 2});
    std::vector<Observation> ended;
    std::set<int> parts;
    for (std::uint64_t trial = 0; trial < 40; ++trial) {
      const auto point = sampler->propose(trial, {.ended = ended});
      const double g = 1 + 3 * ((*point)[1] + (*point)[2] + (*point)[3]);
      Observation one{.trial = trial, .point = *point, .state = TrialState::complete};
      one.objective = (*point)[0];
      one.further = {g * (1 - std::sqrt((*point)[0] / g))};
      ended.push_back(one);
      if (g < 1.1) parts.insert(static_cast<int>((*point)[0] * 10));
    }
    return parts.size();
  };
  CHECK(near_front("random") <= 2);
  CHECK(near_front("bayesianoptimization") >= 7);
}

TEST_CASE("front: a sweep keeps the trials that no other one dominates, and replays the same choices") {
  Sweep sweep(two_objectives({{"algorithm", {{"algorithmName", "auto"}}}}));
  sweep.server.script = fast_or_good;
  const SweepState state = sweep.run();
  CHECK(state.algorithm() == "bayesianoptimization");
  CHECK_FALSE(state.best());
  REQUIRE(state.front().size() > 2);
  for (const Trial& trial : state.trials()) {
    const auto& front = state.front();
    const bool is_on_it = std::find(front.begin(), front.end(), trial.number) != front.end();
    const auto dominates_it = [&](const Trial& other) {
      return dominates({*other.value, -other.metrics.at("speed")},
                       {*trial.value, -trial.metrics.at("speed")});
    };
    CHECK(is_on_it == std::none_of(state.trials().begin(), state.trials().end(), dominates_it));
  }
  std::vector<Record> records;
  read_journal(sweep.folder.path(), [&](const Record& record) { records.push_back(record); });
  CHECK(replay(records).differences.empty());
}

TEST_CASE("front: a trial needs a finite value of each objective") {
  Sweep sweep(two_objectives({{"maxTrialCount", 3}, {"parallelTrialCount", 1}}));
  sweep.server.script = [](const TrialJob& job) {
    std::vector<TrialReport> reports = fast_or_good(job);
    if (job.trial == 1) reports[1].metric = "Speed";
    if (job.trial == 2) reports[1].value = NAN;
    return reports;
  };
  const SweepState state = sweep.run();
  CHECK(state.trials()[0].outcome == Outcome::complete);
  CHECK(state.trials()[1].outcome == Outcome::no_metric);
  CHECK(state.trials()[1].cause ==
        "it finished without speed; it reported Speed, loss: metric names are case-sensitive");
  CHECK(state.trials()[2].outcome == Outcome::diverged);
  CHECK(state.front() == std::vector<std::uint64_t>{0});
}

TEST_CASE("front: features that need a single best trial are rejected by name") {
  CHECK(problems_of(two_objectives()) == "");
  for (const auto& [key, value, problem] : std::vector<std::tuple<const char*, Json, const char*>>{
           {"earlyStopping",
            {{"algorithmName", "median"}},
            "compares trials by their learning curves for one metric"},
           {"algorithm", {{"algorithmName", "tpe"}}, "tpe learns from one objective only"},
           {"budget", {{"target", 0.1}}, "cannot be combined with several objectives"},
           {"objective", {{"goal", 0.1}}, "cannot be combined with several objectives"},
           {"warmStart", Json::array({{{"values", {{"x", 0}}}, {"value", 1}}}),
            "earlier results have a value for only one objective"}}) {
    Json document = two_objectives();
    document["spec"][key] = value;
    CHECK_MESSAGE(problems_of(document).find(problem) != std::string::npos, key, ": ", problems_of(document));
  }
  Json twice = two_objectives();
  twice["spec"]["objectives"][1]["objectiveMetricName"] = "loss";
  CHECK(problems_of(twice).find("loss is given twice") != std::string::npos);
  Json alone = two_objectives();
  alone["spec"]["objectives"].erase(1);
  CHECK(problems_of(alone).find("must be a list of at least two objectives") != std::string::npos);
}

}  // namespace front_test
