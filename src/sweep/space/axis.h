#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kml/sweep/space/space.h"

namespace kml::sweep {

/// Whether the parameter's values are a list, ordered or not.
inline bool is_choice(const Parameter& parameter) {
  return parameter.kind == Kind::ordinal || parameter.kind == Kind::categorical;
}

/// Maps a parameter's values to [0, 1] so that uniform draws from [0, 1] become draws from the parameter's
/// distribution. The mapping is linear in the value or its logarithm, or uses the cumulative normal
/// distribution. The normal distribution is the same as in Katib
/// (pkg/suggestion/v1beta1/hyperopt/base_service.py): its mean is the middle of the range, its standard
/// deviation is a sixth of the range, unless Parameter::deviations is set, and it is cut off at the bounds. A
/// discrete parameter has an interval for each value, which extends half a step to both sides, within
/// Parameter::drawn. The interval of a choice is as wide as its weight.
class Axis {
 public:
  explicit Axis(const Parameter& parameter);

  /// The number of values; 0 for a continuous axis.
  std::uint64_t values() const { return count_; }
  double from_unit(double unit) const;
  double to_unit(double value) const;
  std::pair<double, double> cell(double value) const;

  /// The value with index `rank` on a discrete axis, and the inverse function.
  double at(std::uint64_t rank) const;
  std::uint64_t rank(double value) const;

 private:
  void set_weights(const std::vector<double>& weights);
  void set_scale(const Parameter& parameter);
  double edge(double steps) const;
  double scaled(double value) const;
  double unit_of(double place) const;
  double place_of(double unit) const;

  bool log_ = false;
  bool normal_ = false;
  bool is_even_ = true;  ///< whether all values of a discrete axis have intervals of the same width
  double low_ = 0, high_ = 0, step_ = 0;
  std::uint64_t count_ = 0;
  std::vector<double> ends_ = {};          ///< the ends of the choices' intervals, if they have weights
  double drawn_low_ = 0, drawn_high_ = 0;  ///< no interval extends beyond these
  double begin_ = 0, end_ = 1;             ///< the bounds of the scaled axis
  double mean_ = 0, deviation_ = 1;        ///< the parameters of the normal distribution on the scaled axis
  /// the normal distribution's probabilities below begin_, and between begin_ and end_
  double below_begin_ = 0, inside_ = 1;
};

/// The fault in the parameter itself, not considering other parameters; empty if it is valid.
std::string fault_of(const Parameter& parameter);

}  // namespace kml::sweep
