#include "sweep/samplers/trust_region.h"

#include <doctest/doctest.h>

#include <Eigen/Core>

#include <vector>

namespace trust_region_test {

using namespace kml::sweep;

namespace {

/// A history of trials on one axis.
struct Trials {
  std::vector<double> places, scores;

  void add(double place, double score, int times = 1) {
    for (int i = 0; i < times; ++i) {
      places.push_back(place);
      scores.push_back(score);
    }
  }
  Region region() const {
    return trust_region(Eigen::Map<const Eigen::VectorXd>(places.data(), static_cast<long>(places.size())),
                        scores);
  }
};

}  // namespace

TEST_CASE("trust_region: is a box around the best trial, inside the unit cube") {
  Trials trials;
  trials.add(0.9, 2);
  trials.add(0.3, 1);
  CHECK(trials.region().low[0] == doctest::Approx(0.1));
  CHECK(trials.region().high[0] == doctest::Approx(0.5));
  trials.add(0.95, 0);
  CHECK(trials.region().low[0] == doctest::Approx(0.75));
  CHECK(trials.region().high[0] == 1);
}

TEST_CASE("trust_region: shrinks after failures in it, grows after improvements, and starts over elsewhere") {
  Trials trials;
  trials.add(0.5, 10);
  trials.add(0.9, 11, 20);  // 20 trials outside the region are not failures
  trials.add(0.6, 11, 3);
  CHECK(trials.region().width(0) == doctest::Approx(0.4));
  trials.add(0.6, 11);
  CHECK(trials.region().width(0) == doctest::Approx(0.2));
  for (const double score : {9, 8, 7}) trials.add(0.5, score);
  CHECK(trials.region().width(0) == doctest::Approx(0.4));
  trials.add(0.5, 11, 8);
  CHECK(trials.region().width(0) == doctest::Approx(0.1));
  trials.add(0.2, 6);
  CHECK(trials.region().low[0] == doctest::Approx(0));
  CHECK(trials.region().high[0] == doctest::Approx(0.4));
}

TEST_CASE("trust_region: a box too small to find anything new starts over") {
  Trials trials;
  trials.add(0.5, 1);
  trials.add(0.5, 2, 4 * 17);
  CHECK(trials.region().width(0) < 1e-5);
  trials.add(0.5, 2, 4);
  CHECK(trials.region().width(0) == doctest::Approx(0.4));
}

TEST_CASE(
    "trust_region: the Gaussian process learns from the trials in and around the region, and from the "
    "nearest others") {
  const Region region{Eigen::VectorXd::Constant(1, 0.4), Eigen::VectorXd::Constant(1, 0.6)};
  Eigen::MatrixXd rows(40, 1);
  for (long i = 0; i < 40; ++i) rows(i, 0) = i % 2 == 0 ? 0.31 : 0.9;
  CHECK(trials_near(region, rows).size() == 20);
  rows.col(0).setConstant(0.9);
  rows(7, 0) = 0.5;
  const std::vector<long> near = trials_near(region, rows);
  CHECK(near == std::vector<long>{0, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(trials_near(region, Eigen::MatrixXd::Constant(500, 1, 0.5)).size() == 120);
}

TEST_CASE("trust_region: points are scaled to a region and back") {
  const Region region{Eigen::Vector2d(0.4, 0), Eigen::Vector2d(0.6, 1)};
  const Eigen::MatrixXd scaled = region.scaled(Eigen::RowVector2d(0.5, 0.25));
  CHECK(scaled(0, 0) == doctest::Approx(0.5));
  CHECK(scaled(0, 1) == 0.25);
  CHECK(region.place_of(scaled.transpose())[0] == doctest::Approx(0.5));
}

}  // namespace trust_region_test
