#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "kml/base/error.h"
#include "kml/sweep/samplers/sampler.h"
#include "sweep/samplers/ranking.h"

namespace model_samplers_test {

using namespace kml;
using namespace kml::sweep;

namespace {

const std::vector<std::string> kAnySpace = {"tpe", "multivariate-tpe", "bayesianoptimization"};
const std::vector<std::string> kNumeric = {"tpe", "multivariate-tpe", "bayesianoptimization", "cmaes"};

Space numeric(const std::vector<std::string>& constraints = {}) {
  return Space({{.name = "lr", .low = 1e-4, .high = 1, .log = true},
                {.name = "layers", .kind = Kind::integer, .low = 1, .high = 8},
                {.name = "drop", .low = 0, .high = 0.5, .step = 0.1},
                {.name = "batch", .kind = Kind::ordinal, .choices = {16, 32, 64, 128}}},
               constraints);
}

Space conditional() {
  return Space(
      {{.name = "optimizer", .kind = Kind::categorical, .choices = {"sgd", "adam", "lion"}},
       {.name = "momentum", .low = 0, .high = 1, .condition = Condition{"optimizer", {"sgd"}}},
       {.name = "beta", .low = 0.8, .high = 1, .condition = Condition{"optimizer", {"adam", "lion"}}},
       {.name = "layers", .kind = Kind::integer, .low = 1, .high = 4}});
}

double lr_near(const Point& point, double wanted) {
  return std::pow(std::log10(point[0] / wanted), 2);
}

/// Runs a sweep that always has some outstanding trials. Returns the ended ones.
template <typename Objective>
std::vector<Observation> run_trials(Sampler& sampler, std::uint64_t trials, size_t parallel,
                                    Objective objective) {
  std::vector<Observation> ended, running;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    const auto point = sampler.propose(trial, {.ended = ended, .running = running});
    if (!point) break;
    running.push_back({.trial = trial, .point = *point});
    if (running.size() < parallel) continue;
    // The trial that ends is not always the oldest.
    const auto one = running.begin() + static_cast<long>(trial % running.size());
    one->objective = objective(one->point);
    one->state = std::isfinite(*one->objective) ? TrialState::complete : TrialState::diverged;
    ended.push_back(*one);
    running.erase(one);
  }
  return ended;
}

double best(const std::vector<Observation>& trials) {
  double found = INFINITY;
  for (const Observation& one : trials)
    if (std::isfinite(*one.objective)) found = std::min(found, *one.objective);
  return found;
}

}  // namespace

TEST_CASE("samplers: each proposal is a point of the space that the constraints allow") {
  const Space space = numeric({"layers * batch <= 256", "drop < lr + 0.3"});
  for (const std::string& name : kNumeric) {
    CAPTURE(name);
    const auto sampler = make_sampler(name, space, {.seed = 5});
    const auto trials =
        run_trials(*sampler, 60, 4, [](const Point& point) { return lr_near(point, 0.01) + point[1]; });
    REQUIRE(trials.size() == 57);
    for (const Observation& one : trials) {
      CHECK(same(space.point(space.assignment(one.point)), one.point));
      CHECK(space.allows(one.point));
    }
  }
}

TEST_CASE("samplers: conditions and constraints are met at the same time, and each branch is tried") {
  const Space space({{.name = "optimizer", .kind = Kind::categorical, .choices = {"sgd", "adam", "lion"}},
                     {.name = "momentum", .low = 0, .high = 1, .condition = Condition{"optimizer", {"sgd"}}},
                     {.name = "layers", .kind = Kind::integer, .low = 1, .high = 4},
                     {.name = "batch", .kind = Kind::ordinal, .choices = {16, 32, 64, 128}}},
                    {"layers * batch <= 128", "momentum * layers < 2"});
  for (const std::string name : {"random", "sobol", "tpe", "multivariate-tpe", "bayesianoptimization"}) {
    CAPTURE(name);
    const auto sampler = make_sampler(name, space, {.seed = 5});
    const auto trials = run_trials(*sampler, 40, 4, [](const Point& point) { return point[2] + point[3]; });
    REQUIRE(trials.size() == 37);
    std::set<double> optimizers;
    for (const Observation& one : trials) {
      CHECK(same(space.point(space.assignment(one.point)), one.point));
      CHECK(space.allows(one.point));
      CHECK(std::isnan(one.point[1]) == (one.point[0] != 0));
      optimizers.insert(one.point[0]);
    }
    CHECK(optimizers.size() == 3);
  }
}

TEST_CASE("samplers: a proposal does not depend on earlier calls of the object") {
  for (const std::string& name : kNumeric) {
    CAPTURE(name);
    const Space space = numeric();
    const auto one = make_sampler(name, space, {.seed = 5});
    const auto trials =
        run_trials(*one, 50, 3, [](const Point& point) { return lr_near(point, 0.01) + point[1]; });
    const std::vector<Observation> running = {
        {.trial = 90, .point = space.from_unit(std::vector<double>(4, 0.4))}};
    for (const size_t known : {48, 20, 11, 35}) {
      const History seen = {.ended = std::span(trials).first(known), .running = running};
      const auto point = one->propose(known + 7, seen);
      CHECK(same(*point, *make_sampler(name, space, {.seed = 5})->propose(known + 7, seen)));
      CHECK(same(*point, *one->propose(known + 7, seen)));
      CHECK_FALSE(same(*one->propose(2 * known, seen),
                       *make_sampler(name, space, {.seed = 6})->propose(2 * known, seen)));
    }
  }
}

TEST_CASE("samplers: on a smooth objective, those that learn are better than random draws") {
  const Space space = numeric();
  const auto objective = [](const Point& point) {
    return lr_near(point, 0.013) + 0.1 * std::abs(point[1] - 6) + point[2];
  };
  double drawn = 0;  // only six seeds, because the Gaussian process takes most of this test's time
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    drawn += best(run_trials(*make_sampler("random", space, {.seed = seed}), 60, 1, objective));
  for (const std::string& name : kNumeric) {
    CAPTURE(name);
    double learned = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed)
      learned += best(run_trials(*make_sampler(name, space, {.seed = seed}), 60, 1, objective));
    CHECK(learned < drawn / 2);
  }
}

TEST_CASE("samplers: the Gaussian process also searches near the best of many local optima") {
  const Space space({{.name = "x", .low = 0, .high = 1}, {.name = "y", .low = 0, .high = 1}});
  const auto objective = [](const Point& point) {
    const double x = point[0] - 0.3137, y = point[1] - 0.7291;
    return std::hypot(x, y) + 0.1 * (2 - std::cos(50 * (x + y)) - std::cos(50 * (x - y)));
  };
  double found = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto sampler = make_sampler("bayesianoptimization", space, {.seed = seed});
    found += best(run_trials(*sampler, 100, 1, objective));
  }
  CHECK(found < 0.2);  // a single Gaussian process for all trials gives 0.38
}

TEST_CASE("samplers: proposals do not depend on the magnitude of the objective's values") {
  const Space space = numeric();
  const auto objective = [](const Point& point) { return lr_near(point, 0.013) + 0.1 * point[1] + 1e-3; };
  for (const std::string& name : kNumeric) {
    CAPTURE(name);
    const auto places = [&](double factor) {
      std::vector<Point> found;
      for (const Observation& one : run_trials(*make_sampler(name, space, {.seed = 3}), 30, 1,
                                               [&](const Point& point) { return factor * objective(point); }))
        found.push_back(one.point);
      return found;
    };
    const std::vector<Point> usual = places(1);
    CHECK(places(0x1p1010) == usual);
    CHECK(places(0x1p-1000) == usual);
  }
}

TEST_CASE("samplers: learn from values that nearly overflow, and over many orders of magnitude") {
  const Space space({{.name = "x", .low = 0, .high = 1}, {.name = "y", .low = 0, .high = 1}});
  const auto distance = [](const Point& at) { return std::hypot(at[0] - 0.7, at[1] - 0.2); };
  const std::vector<std::function<double(const Point&)>> objectives = {
      [&](const Point& at) { return 1e308 * std::cos(3 * distance(at)) * -1; },
      [&](const Point& at) { return at[0] < 0.05 ? 1e308 : distance(at); },
      [&](const Point& at) { return std::pow(10, 30 * distance(at) - 15); },
      [&](const Point& at) { return -std::pow(10, 15 - 30 * distance(at)); },
  };
  for (const std::string& name : kNumeric)
    for (size_t i = 0; i < objectives.size(); ++i) {
      CAPTURE(name);
      CAPTURE(i);
      const auto trials = run_trials(*make_sampler(name, space, {.seed = 3}), 60, 1, objectives[i]);
      const auto near = std::count_if(trials.end() - 20, trials.end(),
                                      [&](const Observation& one) { return distance(one.point) < 0.2; });
      CHECK(near > 6);  // a random draw is this near to the optimum with a probability of 1/8
    }
}

TEST_CASE("samplers: if all values are NaN, the search still tries new points") {
  for (const std::string& name : kNumeric) {
    CAPTURE(name);
    const auto trials =
        run_trials(*make_sampler(name, numeric(), {.seed = 5}), 60, 2, [](const Point&) { return NAN; });
    std::set<double> rates;
    for (const Observation& one : trials) rates.insert(one.point[0]);
    CHECK(rates.size() == 59);
  }
}

TEST_CASE("samplers: trials that diverged do not become the optimum") {
  for (const std::string& name : kNumeric) {
    CAPTURE(name);
    const auto trials =
        run_trials(*make_sampler(name, numeric(), {.seed = 5}), 60, 1, [](const Point& point) {
          return point[0] > 0.1 ? NAN : lr_near(point, 0.05);  // values improve up to the cliff
        });
    const auto over = std::count_if(trials.end() - 30, trials.end(),
                                    [](const Observation& one) { return one.point[0] > 0.1; });
    CHECK(over < 15);
    CHECK(best(trials) < 0.01);
  }
}

TEST_CASE("samplers: a finite space is tried without repetition, then exhausted") {
  const Space space({{.name = "a", .kind = Kind::integer, .low = 1, .high = 5},
                     {.name = "b", .kind = Kind::ordinal, .choices = {1, 2, 4, 8}}},
                    {"a * b <= 16"});
  for (const std::string& name : kNumeric) {
    CAPTURE(name);
    const auto sampler = make_sampler(name, space, {.seed = 5});
    std::vector<Observation> ended;
    std::set<std::vector<double>> points;
    while (const auto point = sampler->propose(ended.size(), {.ended = ended})) {
      ended.push_back(
          {.trial = ended.size(), .point = *point, .state = TrialState::complete, .objective = 1.0});
      points.insert(*point);
      REQUIRE(ended.size() <= 20);
    }
    CHECK(points.size() == 5 + 5 + 4 + 2);
    CHECK(ended.size() == points.size());
  }
}

TEST_CASE("samplers: TPE stays near the best trials once their combinations were tried") {
  std::vector<Parameter> parameters;
  for (const char* name : {"a", "b", "c", "d", "e", "f"})
    parameters.push_back({.name = name, .kind = Kind::categorical, .choices = {"p", "q", "r", "s"}});
  const Space space(parameters);
  for (const std::string name : {"tpe", "multivariate-tpe"}) {
    CAPTURE(name);
    const auto wrong = [](const Point& point) {
      return static_cast<double>(6 - std::count(point.begin(), point.end(), 1.0));
    };
    const auto trials = run_trials(*make_sampler(name, space, {.seed = 5}), 101, 1, wrong);
    double late = 0;
    for (size_t i = 60; i < 100; ++i) late += *trials[i].objective;
    CHECK(late / 40 < 3);  // random draws give 4.5
  }
}

TEST_CASE("samplers: parameters of the other branch are left out, and the better branch is found") {
  const Space space = conditional();
  for (const std::string& name : kAnySpace) {
    CAPTURE(name);
    const auto trials = run_trials(*make_sampler(name, space, {.seed = 5}), 80, 4, [](const Point& point) {
      return point[0] == 0 ? 1 + point[1] : std::abs(point[2] - 0.95) * (point[0] == 1 ? 1 : 5);
    });
    for (const Observation& one : trials) CHECK(std::isnan(one.point[1]) == (one.point[0] != 0));
    CHECK(best(trials) < 0.01);
  }
}

TEST_CASE("samplers: the point of a running trial is not proposed again") {
  const Space space({{.name = "x", .low = 0, .high = 1}});
  for (const std::string& name : kNumeric) {
    CAPTURE(name);
    const auto sampler = make_sampler(name, space, {.seed = 5});
    const auto objective = [](const Point& point) { return std::abs(point[0] - 0.3); };
    const auto ended = run_trials(*sampler, 30, 1, objective);
    std::vector<Observation> running;
    for (std::uint64_t trial = 100; trial < 120; ++trial)
      running.push_back(
          {.trial = trial, .point = *sampler->propose(trial, {.ended = ended, .running = running})});
    std::vector<double> places;
    for (const Observation& one : running) places.push_back(one.point[0]);
    std::sort(places.begin(), places.end());
    CHECK(places.back() - places.front() > 0.05);
    CHECK(std::adjacent_find(places.begin(), places.end()) == places.end());
  }
}

TEST_CASE("samplers: learn from another sweep's trials from the first proposal on") {
  const Space space = numeric();
  const auto objective = [](const Point& point) { return lr_near(point, 0.013) + point[2]; };
  for (const std::string& name : kNumeric) {
    CAPTURE(name);
    const auto earlier = run_trials(*make_sampler(name, space, {.seed = 1}), 60, 1, objective);
    const auto warm =
        run_trials(*make_sampler(name, space, {.seed = 2, .warm_start = earlier}), 10, 1, objective);
    CHECK(best(warm) < 0.3);
  }
}

TEST_CASE("samplers: cmaes keeps trying other integers when the real-valued parameters have settled") {
  const Space space({{.name = "x", .low = -1, .high = 1},
                     {.name = "y", .low = -1, .high = 1},
                     {.name = "k", .kind = Kind::integer, .low = 1, .high = 16},
                     {.name = "flag", .kind = Kind::integer, .low = 0, .high = 1}});
  const auto objective = [](const Point& point) {
    const double far = std::hypot(point[0] - 0.3, point[1] + 0.2);
    return std::max(far, 1e-3) + 1e-3 * std::abs(point[2] - 13) + 1e-2 * (1 - point[3]);
  };
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    CHECK(best(run_trials(*make_sampler("cmaes", space, {.seed = seed}), 600, 1, objective)) ==
          doctest::Approx(1e-3));
}

TEST_CASE("samplers: cmaes restarts elsewhere if all its values are equal") {
  const Space space({{.name = "x", .low = 0, .high = 1}, {.name = "y", .low = 0, .high = 1}});
  const auto plateau = [](const Point& point) {
    return std::min(1.0, 10 * std::hypot(point[0] - 0.95, point[1] - 0.1));
  };
  CHECK(best(run_trials(*make_sampler("cmaes", space, {.seed = 3}), 400, 1, plateau)) < 1e-3);
}

TEST_CASE("samplers: cmaes rejects parameters that it cannot search, by name") {
  try {
    make_sampler("cmaes", conditional());
    FAIL("it took a categorical parameter");
  } catch (const Error& error) {
    CHECK(error.why == "optimizer is categorical");
  }
}

TEST_CASE("samplers: the sampler that auto chooses depends on the space and the budget") {
  CHECK(choose_sampler(Space({{.name = "a", .kind = Kind::integer, .low = 1, .high = 50}}), 50) == "grid");
  CHECK(choose_sampler(numeric(), 100) == "bayesianoptimization");
  CHECK(choose_sampler(conditional(), 500) == "bayesianoptimization");
  CHECK(choose_sampler(numeric(), 501) == "multivariate-tpe");
  CHECK(choose_sampler(numeric(), 0) == "multivariate-tpe");
  std::vector<Parameter> many;
  for (int i = 0; i < 21; ++i) many.push_back({.name = "x" + std::to_string(i), .low = 0, .high = 1});
  CHECK(choose_sampler(Space(many), 100) == "multivariate-tpe");
}

TEST_CASE(
    "samplers: a trial stopped at a low rung is compared by adding the gain of other trials after that "
    "rung") {
  std::vector<Observation> trials;
  const auto add = [&](double base, double last) {
    Observation trial{.trial = trials.size(), .state = last < 16 ? TrialState::pruned : TrialState::complete};
    for (double at = 1; at <= last; ++at) trial.curve.emplace_back(at, base + 1 / at);
    if (last == 16) trial.objective = trial.curve.back().second;
    trials.push_back(trial);
  };
  add(0, 16), add(0.2, 16), add(0.1, 16), add(0.05, 1), add(0.5, 4), add(0.3, 6);
  std::vector<const Observation*> all;
  for (const Observation& trial : trials) all.push_back(&trial);
  for (const std::vector<double>& rungs : {std::vector<double>{1, 4, 16}, std::vector<double>{}}) {
    const std::vector<double> scores = scores_of(all, rungs, 1);
    for (size_t i = 0; const double base : {0.0, 0.2, 0.1, 0.05, 0.5, 0.3})
      CHECK(scores[i++] == doctest::Approx(base + 1.0 / 16));
  }
}

TEST_CASE("samplers: with rungs, TPE learns from the rung at which trials were stopped") {
  const Space space({{.name = "x", .low = 0, .high = 1}});
  const auto sampler = make_sampler("multivariate-tpe", space, {.seed = 1, .rungs = {1, 4, 16}});
  std::vector<Observation> ended;
  for (std::uint64_t trial = 0; trial < 40; ++trial) {
    const Point point = *sampler->propose(trial, {.ended = ended});
    ended.push_back({.trial = trial,
                     .point = point,
                     .state = TrialState::pruned,
                     .curve = {{1, std::abs(point[0] - 0.7)}}});
  }
  const auto near = std::count_if(ended.end() - 20, ended.end(),
                                  [](const Observation& one) { return std::abs(one.point[0] - 0.7) < 0.15; });
  CHECK(near > 10);
}

}  // namespace model_samplers_test
