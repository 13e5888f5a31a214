#include "sweep/samplers/tried.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kml::sweep {

size_t Tried::Hash::operator()(const Point& point) const {
  std::uint64_t hash = point.size();
  for (const double value : point)  // + 0.0 turns -0.0 into 0.0
    hash = mixed(hash ^ (std::isnan(value) ? 1 : std::bit_cast<std::uint64_t>(value + 0.0)));
  return hash;
}

void Tried::add(const Point& point) {
  points_.insert(point);
}

void Tried::follow(const History& seen) {
  const size_t count = seen.ended.size() + seen.running.size();
  size_t known = 0;
  for (const auto& part : {seen.ended, seen.running})
    for (const Observation& one : part) known += trials_.contains(one.trial);
  if (known < trials_.size() || count < trials_.size()) {
    points_.clear();
    trials_.clear();
  }
  for (const auto& part : {seen.ended, seen.running})
    for (const Observation& one : part)
      if (trials_.insert(one.trial).second) points_.insert(one.point);
}

std::optional<Point> scan_for_untried(const Space& space, const Tried& tried, Stream stream) {
  constexpr std::uint64_t kMostSteps = 1'000'000;
  const auto size = space.size();
  if (!size) return std::nullopt;
  const std::uint64_t begin = stream.index(*size);
  for (std::uint64_t step = 0; step < std::min(*size, kMostSteps); ++step)
    if (Point point = space.grid_point((begin + step) % *size); space.allows(point) && !tried.contains(point))
      return point;
  return std::nullopt;
}

}  // namespace kml::sweep
