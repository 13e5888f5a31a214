// Tests each of the four distributions of a range. Random draws follow the distribution, and coordinates in
// the unit cube are its quantiles.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/sweep/samplers/sampler.h"
#include "kml/sweep/space/space.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace distributions_test {

using namespace kml;
using namespace kml::sweep;

namespace {

constexpr int kDraws = 4000;

Parameter range(Kind kind, double low, double high, bool log, bool normal, double step = 0) {
  return {.name = "x", .kind = kind, .low = low, .high = high, .step = step, .log = log, .normal = normal};
}

std::vector<double> draws(const std::string& sampler, const Parameter& parameter) {
  const Space space({parameter});
  const auto proposes = make_sampler(sampler, space, {.seed = 5});
  std::vector<double> values;
  for (std::uint64_t trial = 0; trial < kDraws; ++trial)
    values.push_back(proposes->propose(trial, {})->at(0));
  return values;
}

/// The greatest distance between the distribution function of the values and `cumulative` (Kolmogorov and
/// Smirnov).
double distance(std::vector<double> values, const std::function<double(double)>& cumulative) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  double greatest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double expected = cumulative(values[i]), below = static_cast<double>(i) / count;
    greatest = std::max({greatest, expected - below, below + 1 / count - expected});
  }
  return greatest;
}

double within(double low, double high, double x) {
  return (x - low) / (high - low);
}

/// A normal distribution with the range's middle as mean and a sixth of it as deviation, cut off at the
/// bounds, which are three deviations away.
double bell(double low, double high, double x) {
  const auto below = [](double z) { return (1 + std::erf(z / std::sqrt(2.0))) / 2; };
  const double z = (x - (low + high) / 2) / ((high - low) / 6);
  return (below(z) - below(-3)) / (below(3) - below(-3));
}

}  // namespace

TEST_CASE(
    "distributions: random draws pass the Kolmogorov-Smirnov test for their distribution, and for no other") {
  const double low = 0.001, high = 0.1, log_low = std::log(low), log_high = std::log(high);
  const std::vector<std::function<double(double)>> laws = {
      [&](double x) { return within(low, high, x); },
      [&](double x) { return within(log_low, log_high, std::log(x)); },
      [&](double x) { return bell(low, high, x); },
      [&](double x) { return bell(log_low, log_high, std::log(x)); },
  };
  const double critical = 1.628 / std::sqrt(kDraws);  // the critical value at a level of 1 %
  for (const char* sampler : {"random", "sobol"})
    for (size_t law = 0; law < laws.size(); ++law) {
      const auto values = draws(sampler, range(Kind::real, low, high, law % 2 == 1, law >= 2));
      for (size_t other = 0; other < laws.size(); ++other) {
        CAPTURE(sampler);
        CAPTURE(law);
        CAPTURE(other);
        CHECK((distance(values, laws[other]) < critical) == (law == other));
      }
    }
}

TEST_CASE(
    "distributions: a normally distributed integer or step has the probability of the half steps around it") {
  for (const bool log : {false, true}) {
    const Parameter parameter = range(Kind::integer, 2, 8, log, true);
    const auto scaled = [&](double x) { return log ? std::log(x) : x; };
    std::map<double, double> seen;
    // Uses quantiles instead of random draws, because a sampler does not repeat a value of a finite space.
    const Space space({parameter});
    for (int i = 0; i < kDraws; ++i) seen[space.value_at(0, (i + 0.5) / kDraws)] += 1.0 / kDraws;
    const auto below = [&](double x) {
      const double mean = (scaled(2) + scaled(8)) / 2, deviation = (scaled(8) - scaled(2)) / 6;
      return (1 + std::erf((scaled(x) - mean) / deviation / std::sqrt(2.0))) / 2;
    };
    for (double value = 2; value <= 8; ++value) {
      const double mass = (below(value + 0.5) - below(value - 0.5)) / (below(8.5) - below(1.5));
      CHECK(seen[value] == doctest::Approx(mass).epsilon(0.002 / mass));
      const auto [begin, end] = space.cell(0, value);
      CHECK(end - begin == doctest::Approx(mass));
      CHECK(space.value_at(0, (begin + end) / 2) == value);
    }
    CHECK(space.value_at(0, 0) == 2);
    CHECK(space.value_at(0, 1) == 8);
  }
  const Space steps({range(Kind::real, 0.01, 0.05, false, true, 0.01)});
  CHECK(steps.values(0) == 5);
  CHECK(steps.value_at(0, 0.5) == 0.03);
  CHECK(steps.cell(0, 0.05).second == doctest::Approx(1));
}

TEST_CASE(
    "distributions: the coordinates of a normal axis are its quantiles, and samplers stay inside the range") {
  const Space space({range(Kind::real, 1e-4, 1, true, true)});
  for (double unit = 0.001; unit < 1; unit += 0.0137)
    CHECK(space.to_unit(space.from_unit(std::vector{unit})).at(0) == doctest::Approx(unit));
  CHECK(space.value_at(0, 0.5) == doctest::Approx(0.01));
  for (const std::string& sampler : sampler_names()) {
    if (sampler == "grid") continue;
    const auto proposes = make_sampler(sampler, space, {.seed = 1});
    std::vector<Observation> ended;
    for (std::uint64_t trial = 0; trial < 40; ++trial) {
      const Point point = *proposes->propose(trial, {ended, {}});
      CHECK(point.at(0) >= 1e-4);
      CHECK(point.at(0) <= 1);
      const double miss = std::log(point.at(0) / 0.003);
      ended.push_back({trial, point, TrialState::complete, miss * miss});
    }
  }
}

TEST_CASE("distributions: a sweep file can name the distribution of a parameter") {
  CHECK(Space({range(Kind::real, 3, 3, false, true)}).value_at(0, 0.7) == 3);
  const auto parsed = [](const char* distribution) {
    const Json parameter = {
        {"name", "x"},
        {"parameterType", "double"},
        {"feasibleSpace", {{"min", "0.1"}, {"max", "1"}, {"distribution", distribution}}}};
    return parse_sweep({{"apiVersion", "kml.dev/v1"},
                        {"kind", "Sweep"},
                        {"metadata", {{"name", "a"}}},
                        {"spec",
                         {{"objective", {{"type", "minimize"}, {"objectiveMetricName", "loss"}}},
                          {"parameters", Json::array({parameter})},
                          {"trialTemplate", {{"trialSpec", {{"kind", "Job"}}}}}}}},
                       "a.yaml")
        .parameters.at(0);
  };
  CHECK(parsed("logNormal").log);
  CHECK(parsed("logNormal").normal);
  CHECK(!parsed("normal").log);
  CHECK(parsed("normal").normal);
  CHECK(!parsed("logUniform").normal);
  CHECK_THROWS_AS(parsed("bell"), Error);
}

}  // namespace distributions_test
