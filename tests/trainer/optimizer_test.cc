#include "model/optimizer.h"

#include <doctest/doctest.h>

#include <cmath>

#include "model/adam.h"
#include "model/schedule.h"
#include "model/sgd.h"

using namespace trainer;

TEST_CASE("adam: follows the algorithm of the paper") {
  Parallel parallel(1);
  const Adam adam;
  State state = initial_state({1, -2}, adam);
  double parameter[2] = {1, -2}, first[2] = {}, second[2] = {};
  for (uint64_t t = 1; t <= 20; ++t) {
    const Real gradient[2] = {static_cast<Real>(0.3 * static_cast<double>(t)), Real{-1e-4f}};
    state.updates = t;
    adam.apply(state, 0, gradient, 0.001, parallel);
    for (int i = 0; i < 2; ++i) {
      first[i] = 0.9 * first[i] + 0.1 * gradient[i];
      second[i] = 0.999 * second[i] + 0.001 * gradient[i] * gradient[i];
      const double first_hat = first[i] / (1 - std::pow(0.9, t)),
                   second_hat = second[i] / (1 - std::pow(0.999, t));
      parameter[i] -= 0.001 * first_hat / (std::sqrt(second_hat) + 1e-8);
      CHECK(state.parameters[i] == doctest::Approx(parameter[i]).epsilon(1e-5));
    }
  }
}

TEST_CASE("sgd: follows PyTorch's formula, with and without Nesterov's momentum") {
  Parallel parallel(1);
  for (const bool nesterov : {false, true}) {
    const Sgd sgd(static_cast<Real>(0.9), nesterov);
    State state = initial_state({1}, sgd);
    double parameter = 1, velocity = 0;
    for (int t = 1; t <= 20; ++t) {
      const Real gradient[1] = {static_cast<Real>(0.1 * t)};
      sgd.apply(state, 0, gradient, 0.01 * t, parallel);
      velocity = 0.9 * velocity + 0.1 * t;
      parameter -= 0.01 * t * (nesterov ? 0.1 * t + 0.9 * velocity : velocity);
      CHECK(state.parameters[0] == doctest::Approx(parameter).epsilon(1e-5));
    }
  }
}

TEST_CASE("schedule: warm-up, then constant, half a cosine, or steps") {
  using Kind = Schedule::Kind;
  const auto at = [](Kind kind, uint64_t number) { return Schedule{kind, 8, 4, 100}.at(number); };
  for (const Kind kind : {Kind::constant, Kind::cosine, Kind::step}) {
    CHECK(at(kind, 1) == 2);
    CHECK(at(kind, 4) == 8);
    CHECK(at(kind, 5) == 8);
  }
  CHECK(at(Kind::constant, 1000) == 8);
  CHECK(at(Kind::cosine, 53) == doctest::Approx(4));  // halfway between updates 5 and 101
  CHECK(at(Kind::cosine, 29) == doctest::Approx(4 * (1 + std::sqrt(0.5))));
  CHECK(at(Kind::cosine, 100) > 0);
  CHECK(at(Kind::cosine, 101) == 0);
  CHECK(at(Kind::step, 50) == 8);
  CHECK(at(Kind::step, 51) == doctest::Approx(0.8));
  CHECK(at(Kind::step, 76) == doctest::Approx(0.08));
  CHECK(at(Kind::step, 1000) == doctest::Approx(0.08));
  CHECK(Schedule{Kind::constant, 8, 0, 0}.at(1) == 8);
  CHECK(Schedule{Kind::cosine, 8, 100, 50}.at(101) == 0);  // a warm-up longer than the schedule
}
