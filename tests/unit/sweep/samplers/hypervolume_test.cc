#include "sweep/samplers/hypervolume.h"

#include <doctest/doctest.h>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sweep/samplers/front.h"
#include "sweep/samplers/stream.h"

namespace hypervolume_test {

using namespace kml::sweep;

TEST_CASE("hypervolume: the boxes cover everything that no point dominates, without overlap") {
  constexpr int kSide = 5;
  for (const size_t axes : {2, 3, 4}) {
    Stream stream(axes, 0, Purpose::draw);
    std::vector<Costs> front;
    for (int i = 0; i < 6; ++i) {
      Costs& point = front.emplace_back();
      for (size_t axis = 0; axis < axes; ++axis) point.push_back(static_cast<double>(stream.index(kSide)));
    }
    const Boxes boxes = boxes_above(front, std::vector<double>(axes, kSide));
    double covered = 0;
    for (const Box& box : boxes.boxes) {
      double volume = 1;
      for (size_t axis = 0; axis < axes; ++axis) {
        const auto level = [&](int index) { return boxes.levels[axis].at(static_cast<size_t>(index)); };
        volume *= level(box.high[axis]) - (box.low[axis] < 0 ? 0 : level(box.low[axis]));
      }
      covered += volume;
    }
    double free = 0;  // unit cells below the reference whose lower corner no point dominates
    for (int cell = 0; cell < static_cast<int>(std::pow(kSide, axes)); ++cell) {
      const auto is_below = [&](const Costs& point) {
        int rest = cell;
        for (const double coordinate : point) {
          if (coordinate > rest % kSide) return false;
          rest /= kSide;
        }
        return true;
      };
      free += std::none_of(front.begin(), front.end(), is_below);
    }
    CHECK(covered == doctest::Approx(free));
  }
}

TEST_CASE("hypervolume: the gradient of the expected improvement agrees with finite differences") {
  Kernel kernel{{Metric::distance, Metric::distance}, Eigen::Vector2d(4, 9), 1, 1e-3};
  Eigen::MatrixXd rows(4, 2), running(1, 2);
  rows << 0.1, 0.2, 0.8, 0.3, 0.5, 0.9, 0.4, 0.4;
  running << 0.7, 0.7;
  const Eigen::Vector4d first(-1, 0.2, 1, 0.1), second(0.9, -0.6, -0.5, 0.4);
  const auto improvement = hypervolume_improvement({{kernel, first}, {kernel, second}}, rows, running, false);
  for (const Eigen::Vector2d& place : {Eigen::Vector2d(0.25, 0.3), {0.9, 0.1}, {0.6, 0.65}}) {
    Eigen::VectorXd slope;
    const double value = improvement->at(Eigen::VectorXd(place), &slope);
    CHECK(improvement->at(Eigen::MatrixXd(place.transpose()))[0] == doctest::Approx(value));
    for (long axis = 0; axis < 2; ++axis) {
      constexpr double kStep = 1e-5;
      const auto moved = [&](double by) {
        Eigen::VectorXd at = place;
        at[axis] += by;
        return improvement->at(at, nullptr);
      };
      CHECK(slope[axis] == doctest::Approx((moved(kStep) - moved(-kStep)) / (2 * kStep)).epsilon(1e-3));
    }
  }
}

}  // namespace hypervolume_test
