#include "sweep/samplers/parzen.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

namespace kml::sweep::parzen_test {

namespace {

/// Values that are dense in the middle of the axis and at its low end, with gaps, so that both narrow and
/// wide kernels exist.
double place(size_t trial) {
  const double uniform = std::fmod(0.618033988749895 * static_cast<double>(trial), 1.0);
  if (trial % 100 == 0) return 0.8 + 0.2 * uniform;
  return trial % 3 == 0 ? 0.1 * uniform : 0.45 + 0.1 * uniform;
}

}  // namespace

TEST_CASE("parzen: using only near kernels does not change the density at any point") {
  Parameter parameter;
  parameter.kind = Kind::real;
  parameter.low = 0;
  parameter.high = 1;
  parameter.name = "alone";
  Parameter beside = parameter;
  beside.name = "beside";
  const Space space({parameter, beside});
  UnitCache cache(space);
  constexpr size_t kTrials = 2000;
  for (size_t i = 0; i < kTrials; ++i) {
    Observation trial;
    trial.trial = i;
    trial.point = {place(i), 0.5};
    static_cast<void>(cache.slot_of(trial, false));
  }
  std::vector<size_t> slots(kTrials);
  std::iota(slots.begin(), slots.end(), size_t{0});
  const size_t one[] = {0}, both[] = {0, 1};
  const Parzen alone(space, one, cache, slots), joint(space, both, cache, slots);
  std::vector<Point> points;
  for (double x = 0; x <= 1; x += 1.0 / 64) points.push_back({x, std::nan("")});
  const std::vector<std::vector<double>> units(points.begin(), points.end());
  const std::vector<double> near = alone.log_density(points, units);
  const std::vector<double> all = joint.log_density(points, units);  // inactive parameters are ignored
  for (size_t i = 0; i < points.size(); ++i) {
    CAPTURE(points[i][0]);
    CHECK(std::abs(near[i] - all[i]) < 1e-13);
  }
}

}  // namespace kml::sweep::parzen_test
