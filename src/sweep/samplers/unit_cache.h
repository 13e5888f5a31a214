#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "kml/sweep/trial/history.h"

namespace kml::sweep {

/// The unit coordinates of the trials, computed once for each trial, and for each parameter the order of the
/// trials along its axis. Each trial has a slot number. Results about slots in use do not depend on other
/// slots.
class UnitCache {
 public:
  explicit UnitCache(const Space& space)
      : space_(space), order_(space.dimensions()), unit_(space.dimensions()) {}

  /// The slot of a trial. `warm` means that the trial belongs to a different sweep, where it may have the
  /// same number as a trial of this sweep.
  size_t slot_of(const Observation& trial, bool warm);
  size_t slots() const { return points_.size(); }

  /// The trial's coordinate; NaN if the parameter is inactive.
  double unit(size_t parameter, size_t slot) const { return unit_[parameter][slot]; }
  const Point& point(size_t slot) const { return points_[slot]; }
  /// All slots in which the parameter is active, sorted by its unit coordinate.
  const std::vector<size_t>& order(size_t parameter) const { return order_[parameter]; }

 private:
  Space space_;
  std::unordered_map<std::uint64_t, size_t> slot_of_[2];
  std::vector<std::vector<size_t>> order_;
  std::vector<std::vector<double>> unit_;
  std::vector<Point> points_;
  std::vector<std::pair<bool, std::uint64_t>> ids_;
};

}  // namespace kml::sweep
