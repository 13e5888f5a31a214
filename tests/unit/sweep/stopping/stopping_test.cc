#include "kml/sweep/stopping/stopping.h"

#include <doctest/doctest.h>

#include <cmath>

#include "kml/base/error.h"

namespace stopping_test {

using namespace kml::sweep;

namespace {

Observation with_curve(std::uint64_t trial, std::vector<std::pair<double, double>> curve) {
  return {.trial = trial, .curve = std::move(curve)};
}

Observation paused(std::uint64_t trial, double resource, double value) {
  return {.trial = trial, .state = TrialState::paused, .curve = {{resource, value}}, .granted = resource};
}

bool is_to_stop(const StopOptions& options, const Observation& trial, double resource,
                std::span<const Observation> others) {
  const auto verdict = judge(options, trial, resource, others);
  return verdict && verdict->stops;
}

const StopOptions kOneLadder = {.rule = StopRule::asha, .min = 1, .max = 64, .eta = 4, .brackets = 1};

}  // namespace

TEST_CASE("stopping: rungs rise by eta to the maximum, from a sixteenth of it by default") {
  CHECK(rungs({.min = 1, .max = 64, .eta = 4}) == std::vector<double>{1, 4, 16, 64});
  CHECK(rungs({.min = 1, .max = 81, .eta = 3}) == std::vector<double>{1, 3, 9, 27, 81});
  CHECK(rungs({.min = 1, .max = 81, .eta = 3}, 2) == std::vector<double>{9, 27, 81});
  CHECK(rungs({.min = 1, .max = 81, .eta = 3}, 9) == std::vector<double>{81});
  CHECK(rungs({.min = 1, .max = 4, .eta = 1.3}) == std::vector<double>{1, 2, 3, 4});
  CHECK(rungs({.max = 52}) == std::vector<double>{3, 12, 52});
  CHECK(rungs({.max = 100}) == std::vector<double>{6, 24, 100});
  CHECK(rungs({.min = 5, .max = 5}) == std::vector<double>{5});
  CHECK(rungs({.max = 100, .given_rungs = {3, 11, 33}}) == std::vector<double>{3, 11, 33, 100});
  CHECK(rungs({.max = 100, .given_rungs = {3, 11, 33}}, 1) == std::vector<double>{11, 33, 100});
  CHECK(rungs({.max = 1}) == std::vector<double>{1});
  CHECK(rungs({.max = 10.5}) == std::vector<double>{1, 4, 10.5});
  CHECK(rungs({.max = 0.5}) == std::vector<double>{0.03125, 0.125, 0.5});
  CHECK_THROWS_AS(rungs({.min = 2, .max = 1}), kml::Error);
  CHECK_THROWS_AS(rungs({.max = 10, .eta = 1}), kml::Error);
}

TEST_CASE("stopping: brackets share the trials as Hyperband does, interleaved") {
  const StopOptions options = {.min = 1, .max = 16, .eta = 4, .brackets = 2};  // 16/3 to 4/2: 8 to 3
  int second = 0;
  for (std::uint64_t trial = 0; trial < 1100; ++trial) {
    second += bracket_of(options, trial);
    CHECK(std::abs(second - static_cast<double>(trial + 1) * 3 / 11) < 4);
  }
  CHECK(bracket_of(kOneLadder, 17) == 0);
}

TEST_CASE("stopping: the median rule compares with a true median of running bests") {
  const StopOptions options = {.rule = StopRule::median, .grace = 1, .least_trials = 3};
  const std::vector<Observation> others = {
      with_curve(0, {{1, 9}, {2, 1}, {3, 50}}), with_curve(1, {{1, 3}, {2, 3}, {3, 3}}),
      with_curve(2, {{1, 1000}, {2, 1000}, {3, 1000}}), with_curve(3, {{1, 0}})};
  CHECK(is_to_stop(options, with_curve(9, {{1, 9}, {2, 9}, {3, 4}}), 3, others));  // bests 1, 3, 1000
  CHECK_FALSE(
      // the trial's best value is used
      is_to_stop(options, with_curve(9, {{1, 9}, {2, 2}, {3, 40}}), 3, others));
  CHECK_FALSE(is_to_stop(options, with_curve(9, {{1, 500}}), 1, others));  // grace
  CHECK_FALSE(is_to_stop(options, with_curve(9, {{4, 500}}), 4, others));  // there are no other trials
  CHECK(is_to_stop(options, with_curve(9, {{1, NAN}, {2, NAN}}), 2, others));
}

TEST_CASE("stopping: a NaN is treated as a bad value, and does not affect the other values") {
  const StopOptions options = {.rule = StopRule::median, .least_trials = 3};
  const std::vector<Observation> others = {with_curve(0, {{1, NAN}}), with_curve(1, {{1, 1}}),
                                           with_curve(2, {{1, 2}})};
  CHECK_FALSE(is_to_stop(options, with_curve(9, {{1, 1.5}}), 1, others));
  CHECK(is_to_stop(options, with_curve(9, {{1, 2.5}}), 1, others));
}

TEST_CASE("stopping: ASHA continues the best quarter at a rung, and all trials while they are few") {
  std::vector<Observation> others;
  for (std::uint64_t i = 0; i < 7; ++i) others.push_back(with_curve(i, {{1, static_cast<double>(i)}}));
  CHECK_FALSE(is_to_stop(kOneLadder, with_curve(9, {{1, 0.5}}), 1, others));  // second of 8
  CHECK(is_to_stop(kOneLadder, with_curve(9, {{1, 1.5}}), 1, others));        // third of 8
  CHECK(is_to_stop(kOneLadder, with_curve(9, {{1, NAN}}), 1, others));
  CHECK_FALSE(is_to_stop(kOneLadder, with_curve(9, {{1, 0.5}, {2, 99}}), 2, others));  // step 2 is not a rung
  CHECK_FALSE(is_to_stop(kOneLadder, with_curve(9, {{1, 99}}), 1, std::span(others).first(2)));
  // the trial has reached the end
  CHECK_FALSE(is_to_stop(kOneLadder, with_curve(9, {{64, 99}}), 64, others));
}

TEST_CASE(
    "stopping: with one bracket all trials are compared at each rung, by their best value if requested") {
  StopOptions options = kOneLadder;
  std::vector<Observation> others;
  for (std::uint64_t i = 1; i < 8; ++i) others.push_back(with_curve(i, {{1, 1.0 + static_cast<double>(i)}}));
  const Observation rises = with_curve(9, {{0.5, 1}, {1, 6}}), diverged = with_curve(9, {{0.5, 1}, {1, NAN}});
  CHECK(is_to_stop(options, rises, 1, others));
  CHECK(judge(options, rises, 1, others)->of == 8);
  options.by_best = true;
  CHECK(!is_to_stop(options, rises, 1, others));
  CHECK(judge(options, rises, 1, others)->value == 1);
  CHECK(is_to_stop(options, diverged, 1, others));
}

TEST_CASE("stopping: a trial that reports past a rung is judged there, once") {
  std::vector<Observation> others;
  for (std::uint64_t i = 0; i < 7; ++i) others.push_back(with_curve(i, {{5, static_cast<double>(i)}}));
  CHECK(is_to_stop(kOneLadder, with_curve(9, {{3, 9}, {5, 9}}), 5, others));
  CHECK_FALSE(is_to_stop(kOneLadder, with_curve(9, {{3, 9}, {5, 9}, {6, 9}}), 6, others));
}

TEST_CASE(
    "stopping: ASHA promotes the best trial of the highest rung that allows a promotion, and no trial "
    "twice") {
  std::vector<Observation> trials;
  for (std::uint64_t i = 0; i < 8; ++i) trials.push_back(paused(i, 1, 10.0 - static_cast<double>(i)));
  auto next = next_promotion(kOneLadder, trials);
  REQUIRE(next);
  CHECK(next->trial == 7);
  CHECK(next->resource == 4);
  trials[7].granted = 4;
  trials[7].state = TrialState::running;
  next = next_promotion(kOneLadder, trials);
  REQUIRE(next);
  CHECK(next->trial == 6);
  trials[6].granted = 4;
  CHECK_FALSE(next_promotion(kOneLadder, trials));
  // With four trials on the second rung, one of them is promoted to the third before any trial of the first
  // rung is promoted.
  for (std::uint64_t i : {3, 4, 5, 7}) {
    trials[i] = paused(i, 1, 10.0 - static_cast<double>(i));
    trials[i].curve.emplace_back(4, 5.0 + static_cast<double>(i));
    trials[i].granted = 4;
  }
  next = next_promotion(kOneLadder, trials);
  REQUIRE(next);
  CHECK(next->trial == 3);
  CHECK(next->resource == 16);
}

TEST_CASE("stopping: a diverged trial is never promoted") {
  std::vector<Observation> trials;
  for (std::uint64_t i = 0; i < 8; ++i) trials.push_back(paused(i, 1, NAN));
  CHECK_FALSE(next_promotion(kOneLadder, trials));
}

TEST_CASE("stopping: each name of a rule is known, and another name gives none") {
  for (const std::string& name : stop_rule_names()) CHECK(stop_rule_called(name) != StopRule::none);
  CHECK(stop_rule_called("hyperband") == StopRule::hyperband);
  CHECK(stop_rule_called("medianstop") == StopRule::none);
}

}  // namespace stopping_test
