#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "kml/sweep/space/space.h"

namespace kml::sweep {

/// Whether its values are a list, ordered or not.
inline bool is_choice(const Parameter& parameter) {
  return parameter.kind == Kind::ordinal || parameter.kind == Kind::categorical;
}

/// Maps a parameter's values to [0, 1], linearly in the value or its logarithm. A discrete parameter has an
/// interval for each value, so uniform draws from [0, 1] give uniform draws of values.
class Axis {
 public:
  explicit Axis(const Parameter& parameter);

  /// The number of values; 0 if it is continuous.
  std::uint64_t values() const { return count_; }
  double from_unit(double unit) const;
  double to_unit(double value) const;
  std::pair<double, double> cell(double value) const;

  /// The value with index `rank` on a discrete axis, and the reverse.
  double at(std::uint64_t rank) const;
  std::uint64_t rank(double value) const;

 private:
  double scaled(double value) const;

  bool log_ = false;
  double low_ = 0, high_ = 0, step_ = 0;
  std::uint64_t count_ = 0;
  double begin_ = 0, end_ = 1;  ///< bounds of the scaled axis
};

/// What is wrong with the parameter itself, without regard to others; empty if it is valid.
std::string fault_of(const Parameter& parameter);

}  // namespace kml::sweep
