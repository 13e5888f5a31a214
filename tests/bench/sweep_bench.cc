// Runs kml's samplers on known functions and tables: the program `kml-sweep-bench` for
// tests/bench/sweep_quality, sweep_ask, sweep_front and sweep_unseen.
//
//   quality SAMPLER TASK TRIALS SEEDS PARALLEL  a line for each seed: the best value after each trial
//   ask SAMPLER DIMENSIONS TRIALS               milliseconds of processor time for the next proposal
//   converse SAMPLER TRIALS SEED                reads a sweep from the input, and talks about its trials
//
// The sweep is a line of JSON. For each of the TRIALS, `converse` prints the parameters, and reads the values
// or "failed". For quality and converse, SAMPLER may be auto. TASK is branin, hartmann6, ackley5, or a file
// made by sweep_tables.py. PARALLEL trials are outstanding at any time.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <iostream>
#include <numbers>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/sweep/samplers/sampler.h"
#include "kml/sweep/spec/sweep_spec.h"

using namespace kml;
using namespace kml::sweep;

namespace {

struct Task {
  Space space;
  std::function<double(const Point&)> value;
};

std::vector<Parameter> reals(size_t count, double low, double high) {
  std::vector<Parameter> parameters;
  for (size_t i = 0; i < count; ++i)
    parameters.push_back({.name = "x" + std::to_string(i), .low = low, .high = high});
  return parameters;
}

double branin(const Point& x) {
  constexpr double kPi = std::numbers::pi;
  const double bowl = x[1] - 5.1 / (4 * kPi * kPi) * x[0] * x[0] + 5 / kPi * x[0] - 6;
  return bowl * bowl + 10 * (1 - 1 / (8 * kPi)) * std::cos(x[0]) + 10;
}

double hartmann6(const Point& x) {
  constexpr double kWeight[4] = {1, 1.2, 3, 3.2};
  constexpr double kScale[4][6] = {
      {10, 3, 17, 3.5, 1.7, 8}, {.05, 10, 17, .1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, .05, 10, .1, 14}};
  constexpr double kPlace[4][6] = {{.1312, .1696, .5569, .0124, .8283, .5886},
                                   {.2329, .4135, .8307, .3736, .1004, .9991},
                                   {.2348, .1451, .3522, .2883, .3047, .6650},
                                   {.4047, .8828, .8732, .5743, .1091, .0381}};
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    double distance = 0;
    for (size_t k = 0; k < 6; ++k) distance += kScale[i][k] * (x[k] - kPlace[i][k]) * (x[k] - kPlace[i][k]);
    sum -= kWeight[i] * std::exp(-distance);
  }
  return sum;
}

double ackley(const Point& x) {
  // Moves the optimum away from the center, because some samplers try the center first.
  constexpr double kShift[] = {7.3, -11.2, 3.1, -5.7, 9.9};
  double squares = 0, waves = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double v = x[i] - kShift[i % 5];
    squares += v * v;
    waves += std::cos(2 * std::numbers::pi * v);
  }
  const auto n = static_cast<double>(x.size());
  return -20 * std::exp(-0.2 * std::sqrt(squares / n)) - std::exp(waves / n) + 20 + std::numbers::e;
}

Task table(const std::string& file) {
  const Json json = parse_json(read_file(file), file);
  std::vector<Parameter> parameters;
  std::vector<size_t> strides;
  for (const Json& one : json.at("parameters")) {
    Parameter parameter{.name = one.at("name")};
    parameter.choices = one.at("choices").get<std::vector<Json>>();
    parameter.kind = parameter.choices[0].is_number() ? Kind::ordinal : Kind::categorical;
    for (size_t& stride : strides) stride *= parameter.choices.size();
    strides.push_back(1);
    parameters.push_back(std::move(parameter));
  }
  const auto values = json.at("values").get<std::vector<double>>();
  return {Space(parameters), [values, strides](const Point& point) {
            size_t place = 0;
            for (size_t i = 0; i < point.size(); ++i) place += static_cast<size_t>(point[i]) * strides[i];
            return values[place];
          }};
}

Task task(const std::string& name) {
  if (name == "branin") {
    std::vector<Parameter> parameters = reals(2, -5, 10);
    parameters[1].low = 0;
    parameters[1].high = 15;
    return {Space(parameters), branin};
  }
  if (name == "hartmann6") return {Space(reals(6, 0, 1)), hartmann6};
  if (name == "ackley5") return {Space(reals(5, -32.768, 32.768)), ackley};
  return table(name);
}

void quality(const std::string& sampler_name, const Task& on, std::uint64_t trials, std::uint64_t seeds,
             size_t parallel) {
  const std::string chosen = sampler_name == "auto" ? choose_sampler(on.space, trials) : sampler_name;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto sampler = make_sampler(chosen, on.space, {.seed = seed});
    std::vector<Observation> ended, running;
    double best = INFINITY;
    std::string line;
    const auto finish_one = [&] {
      Observation one = std::move(running.front());
      running.erase(running.begin());
      one.state = TrialState::complete;
      one.objective = on.value(one.point);
      best = std::min(best, *one.objective);
      ended.push_back(std::move(one));
      char number[32];
      std::snprintf(number, sizeof number, "%.10g ", best);
      line += number;
    };
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      const auto point = sampler->propose(trial, {.ended = ended, .running = running});
      if (!point) break;
      running.push_back({.trial = trial, .point = *point});
      if (running.size() >= parallel) finish_one();
    }
    while (!running.empty()) finish_one();
    std::cout << line << std::endl;
  }
}

void ask(const std::string& sampler_name, size_t dimensions, std::uint64_t trials) {
  const Space space(reals(dimensions, -1, 1));
  const auto random = make_sampler("random", space, {.seed = 1}),
             sampler = make_sampler(sampler_name, space, {.seed = 1});
  std::vector<Observation> ended;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    Observation one{.trial = trial, .point = *random->propose(trial, {}), .state = TrialState::complete};
    one.objective = ackley(one.point);
    ended.push_back(std::move(one));
  }
  const auto once = [&] {
    const std::clock_t begin = std::clock();
    Observation one{.trial = ended.size(),
                    .point = *sampler->propose(ended.size(), {.ended = ended}),
                    .state = TrialState::complete};
    const double took = 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    one.objective = ackley(one.point);
    ended.push_back(std::move(one));
    return took;
  };
  once();  // this call fills the caches
  std::vector<double> took;
  for (int i = 0; i < 11; ++i) took.push_back(once());
  std::sort(took.begin(), took.end());
  std::cout << took[took.size() / 2] << std::endl;
}

void converse(const std::string& sampler_name, std::uint64_t trials, std::uint64_t seed) {
  std::string line;
  std::getline(std::cin, line);
  const SweepSpec spec = parse_sweep(parse_json(line, "standard input"), "standard input");
  const Space space(spec.parameters);
  const size_t objectives = spec.objectives().size();
  const auto sampler =
      make_sampler(sampler_name == "auto" ? choose_sampler(space, trials, objectives) : sampler_name, space,
                   {.seed = seed, .objectives = objectives});
  std::vector<Observation> ended;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    const auto point = sampler->propose(trial, {.ended = ended});
    if (!point) break;
    std::cout << space.assignment(*point).dump() << std::endl;
    if (!std::getline(std::cin, line)) break;
    Observation one{.trial = trial, .point = *point, .state = TrialState::failed};
    if (line != "failed") {
      one.state = TrialState::complete;
      size_t used = 0;
      one.objective = std::stod(line, &used);
      while (one.further.size() + 1 < objectives) {
        line.erase(0, used);
        one.further.push_back(std::stod(line, &used));
      }
    }
    ended.push_back(std::move(one));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() == 6 && words[0] == "quality")
      quality(words[1], task(words[2]), std::stoull(words[3]), std::stoull(words[4]), std::stoull(words[5]));
    else if (words.size() == 4 && words[0] == "ask")
      ask(words[1], std::stoull(words[2]), std::stoull(words[3]));
    else if (words.size() == 4 && words[0] == "converse")
      converse(words[1], std::stoull(words[2]), std::stoull(words[3]));
    else
      return std::cerr
                 << "usage: quality SAMPLER TASK TRIALS SEEDS PARALLEL | ask SAMPLER DIMENSIONS TRIALS | "
                    "converse SAMPLER TRIALS SEED\n",
             2;
  } catch (const Error& error) {
    std::cerr << describe(error);
    return 1;
  }
}
