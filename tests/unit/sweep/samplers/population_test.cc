#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "kml/sweep/samplers/sampler.h"
#include "kml/sweep/space/space.h"
#include "kml/sweep/trial/history.h"

namespace population_test {

using namespace kml;
using namespace kml::sweep;

namespace {

const Space& space() {
  static const Space kSpace({{.name = "lr", .kind = Kind::real, .low = 0.0001, .high = 0.02, .step = 0.0001},
                             {.name = "layers", .kind = Kind::integer, .low = 1, .high = 8},
                             {.name = "opt", .kind = Kind::categorical, .choices = {"a", "b", "c"}}});
  return kSpace;
}

/// A population whose trials end in the order in which they begin, with the value of `cost`.
struct Run {
  explicit Run(Population population)
      : sampler(make_sampler("pbt", space(), {.seed = 3, .population = population})) {}

  Observation& begin() {
    const std::uint64_t trial = ended.size();
    const History seen{ended, {}};
    const Point point = *sampler->propose(trial, seen);
    CHECK(same(point, *sampler->propose(trial, seen)));
    ended.push_back({.trial = trial, .point = point, .lineage = sampler->lineage(trial, seen)});
    return ended.back();
  }

  void end(Observation& trial, std::optional<double> cost) {
    trial.state = cost ? TrialState::complete : TrialState::failed;
    trial.objective = cost;
  }

  std::unique_ptr<Sampler> sampler;
  std::vector<Observation> ended;
};

}  // namespace

TEST_CASE("population: each generation continues each member once, from itself or from one of the best") {
  Run run({.members = 10, .truncation = 0.2});
  for (int i = 0; i < 100; ++i) {
    Observation& trial = run.begin();
    run.end(trial, static_cast<double>(trial.lineage->member));
  }
  std::map<std::uint64_t, int> exploits;
  for (const Observation& trial : run.ended) {
    CHECK(trial.lineage->member == trial.trial % 10);
    CHECK(trial.lineage->parent.has_value() == (trial.trial >= 10));
    if (!trial.lineage->parent) continue;
    const Observation& parent = run.ended[*trial.lineage->parent];
    if (parent.lineage->member == trial.lineage->member) {
      CHECK(parent.trial == trial.trial - 10);
      CHECK(trial.lineage->member <= 7);
      CHECK(!same(parent.point, trial.point));
      continue;
    }
    ++exploits[trial.lineage->member];
    CHECK(parent.lineage->member <= 1);
    CHECK(same(parent.point, trial.point));
  }
  CHECK(exploits == std::map<std::uint64_t, int>{{8, 9}, {9, 9}});
}

TEST_CASE("population: values change by a fifth and stay in the space; lists move to a neighbor") {
  Run run({.members = 4, .truncation = 0});
  for (int i = 0; i < 200; ++i) run.end(run.begin(), 1);
  for (size_t i = 4; i < run.ended.size(); ++i) {
    const Point &now = run.ended[i].point, &before = run.ended[*run.ended[i].lineage->parent].point;
    const double low = std::clamp(before[0] * 0.8, 0.0001, 0.02),
                 high = std::clamp(before[0] * 1.2, 0.0001, 0.02);
    CHECK(std::min(std::abs(now[0] - low), std::abs(now[0] - high)) <= 0.00011);
    CHECK(std::abs(now[1] - before[1]) <= 2);
    CHECK(now[2] != before[2]);
    CHECK_NOTHROW(space().point(space().assignment(now)));
  }
  std::set<double> layers;
  for (const Observation& trial : run.ended) layers.insert(trial.point[1]);
  CHECK(layers.size() > 3);  // although a fifth of 1 is less than a step
}

TEST_CASE("population: with resample_probability, values are kept or drawn again") {
  Run all({.members = 2, .truncation = 0, .resample = 1}),
      none({.members = 2, .truncation = 0, .resample = 0});
  for (int i = 0; i < 40; ++i) {
    all.end(all.begin(), 1);
    none.end(none.begin(), 1);
  }
  std::set<double> rates;
  for (const Observation& trial : all.ended) rates.insert(trial.point[0]);
  CHECK(rates.size() > 30);
  for (size_t i = 2; i < none.ended.size(); ++i) CHECK(same(none.ended[i].point, none.ended[i - 2].point));
}

TEST_CASE("population: a failed member is replaced by one of the best, or starts again") {
  Run run({.members = 3, .truncation = 0.4});
  for (int i = 0; i < 3; ++i) run.end(run.begin(), std::nullopt);
  CHECK(!run.begin().lineage->parent);
  CHECK(run.ended.back().lineage->member == 0);
  run.end(run.ended.back(), 5);
  Observation& next = run.begin();
  CHECK(next.lineage == Lineage{1, 3});
  CHECK(same(next.point, run.ended[3].point));
}

TEST_CASE("population: a running member is not continued") {
  Run run({.members = 3, .truncation = 0.2});
  for (int i = 0; i < 3; ++i) run.end(run.begin(), i);
  const std::vector<Observation> ended = {run.ended[1], run.ended[2]};
  std::vector<Observation> running = {run.ended[0]};
  running[0].state = TrialState::running;
  CHECK(run.sampler->lineage(3, {ended, running})->member == 1);
  running.push_back({.trial = 3, .point = run.ended[1].point, .lineage = Lineage{1, 1}});
  CHECK(run.sampler->lineage(4, {ended, running})->member == 2);
  running.push_back({.trial = 4, .point = run.ended[1].point, .lineage = Lineage{2, 2}});
  CHECK(!run.sampler->propose(5, {ended, running}));
}

}  // namespace population_test
