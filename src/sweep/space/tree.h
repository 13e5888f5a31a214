#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kml/sweep/space/space.h"
#include "sweep/space/axis.h"

namespace kml::sweep {

/// The dependencies between parameters, and how many different points there are as a result.
class ConditionTree {
 public:
  /// Adds (parameter, text) to `faults` for a condition that names an unknown parameter or choice, has no
  /// values, or leads to a cycle of conditions.
  ConditionTree(const std::vector<Parameter>& parameters, const std::vector<Axis>& axes,
                std::vector<std::pair<size_t, std::string>>& faults);

  /// The parameters, sorted so that each comes after its parent.
  const std::vector<size_t>& order() const { return order_; }
  /// Whether the parameter is active, given its parent's value in `point`. NaN means that the parent is
  /// inactive.
  bool active(size_t parameter, const Point& point) const;

  std::optional<std::uint64_t> size() const;
  Point grid_point(std::uint64_t index) const;

 private:
  struct Node {
    std::optional<size_t> parent;
    std::vector<double> when;  ///< values of the parent with which the parameter is active
    std::vector<size_t> children;
  };

  /// How many ways there are to choose values for these parameters and their descendants. Infinite if one of
  /// them is continuous.
  double ways(const std::vector<size_t>& nodes) const;
  double ways(size_t node) const;
  std::vector<size_t> active_children(size_t node, double value) const;
  void fill(Point& point, const std::vector<size_t>& nodes, std::uint64_t index) const;

  const std::vector<Axis>& axes_;
  std::vector<Node> nodes_;
  std::vector<size_t> roots_, order_;
};

}  // namespace kml::sweep
