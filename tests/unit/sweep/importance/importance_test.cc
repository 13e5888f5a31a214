#include "kml/sweep/importance/importance.h"

#include <doctest/doctest.h>

#include <cmath>

#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/sweep/samplers/sampler.h"

namespace importance_test {

using namespace kml;
using namespace kml::sweep;

namespace {

Space recorded_space() {
  return Space(
      {{.name = "lr", .low = 1e-5, .high = 1, .log = true},
       {.name = "momentum", .low = 0, .high = 1},
       {.name = "drop", .low = 0, .high = 0.5, .step = 0.1},
       {.name = "layers", .kind = Kind::integer, .low = 1, .high = 8},
       {.name = "hidden", .kind = Kind::integer, .low = 4, .high = 512, .log = true},
       {.name = "warmup", .kind = Kind::integer, .low = 0, .high = 1000, .step = 10},
       {.name = "optimizer", .kind = Kind::categorical, .choices = {"sgd", "adam", "lion"}},
       {.name = "beta", .low = 0.8, .high = 1, .condition = Condition{"optimizer", {"adam", "lion"}}}});
}

Space plane() {
  return Space({{.name = "x", .low = 0, .high = 1},
                {.name = "y", .low = 0, .high = 1},
                {.name = "unused", .low = 0, .high = 1},
                {.name = "only", .kind = Kind::ordinal, .choices = {7}}});
}

template <typename Objective>
std::vector<Observation> spread_trials(const Space& space, Objective objective) {
  const auto sampler = make_sampler("sobol", space, {.seed = 1});
  std::vector<Observation> trials;
  for (std::uint64_t trial = 0; trial < 1000; ++trial) {
    trials.push_back({.trial = trial, .point = *sampler->propose(trial, {}), .state = TrialState::complete});
    trials.back().objective = objective(trials.back().point);
  }
  return trials;
}

}  // namespace

TEST_CASE("importance: agrees with Optuna's evaluator, even for a conditional parameter") {
  const Space space = recorded_space();
  const std::string file = KML_SOURCE_DIR "/tests/recorded/optuna/importance.json";
  for (const Json& one : parse_json(read_file(file), file)) {
    std::vector<Observation> trials;
    for (const Json& row : one.at("trials"))
      trials.push_back({.trial = trials.size(),
                        .point = space.point(row.at(0)),
                        .state = TrialState::complete,
                        .objective = row.at(1).get<double>()});
    const std::vector<double> shares = importance(space, trials);
    REQUIRE(shares.size() == space.dimensions());
    for (size_t i = 0; i < shares.size(); ++i) {
      const std::string& name = space.parameters()[i].name;
      CAPTURE(name);
      CHECK(shares[i] == doctest::Approx(one.at("importance").at(name).get<double>()).epsilon(1e-6));
    }
  }
}

TEST_CASE(
    "importance: a parameter that alone matters has the whole importance, two equal ones have half each, and "
    "one with a single value has none") {
  const auto by_one =
      importance(plane(), spread_trials(plane(), [](const Point& point) { return point[0]; }));
  CHECK(by_one[0] > 0.95);
  CHECK(by_one[3] == 0);
  const auto by_two = importance(
      plane(), spread_trials(plane(), [](const Point& point) { return std::hypot(point[0], point[1]); }));
  CHECK(by_two[0] == doctest::Approx(by_two[1]).epsilon(0.1));
  CHECK(by_two[2] < 0.05);
}

TEST_CASE("importance: only complete trials are used") {
  auto trials = spread_trials(plane(), [](const Point& point) { return point[0]; });
  const auto shares = importance(plane(), trials);
  for (const TrialState state : {TrialState::failed, TrialState::diverged, TrialState::pruned})
    trials.push_back({.trial = trials.size(), .point = {0.5, 0, 0, 0}, .state = state, .objective = -1.0});
  trials.push_back(
      {.trial = trials.size(), .point = {0.5, 0, 0, 0}, .state = TrialState::complete, .objective = NAN});
  CHECK(importance(plane(), trials) == shares);
}

TEST_CASE("importance: without data, nothing is reported") {
  CHECK(importance(plane(), {}).empty());
  const auto alike = spread_trials(plane(), [](const Point&) { return 1.0; });
  CHECK(importance(plane(), alike).empty());
  CHECK(importance(plane(), std::span(alike).first(1)).empty());
}

}  // namespace importance_test
