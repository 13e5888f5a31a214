#pragma once

#include <span>
#include <string>
#include <vector>

#include "kml/sweep/space/space.h"

namespace kml::sweep {

/// One comparison. Its syntax is described at `Space`.
class Constraint {
 public:
  /// Throws usage Error for a syntax error, with its position, and for a name that is not a parameter or is a
  /// categorical one.
  Constraint(const std::string& text, const std::vector<Parameter>& parameters);

  /// `numbers` has a number for each parameter of the space. A constraint holds if it uses a parameter that
  /// is NaN.
  bool holds(std::span<const double> numbers) const;

 private:
  friend class ConstraintParser;
  enum class Op { number, parameter, add, subtract, multiply, divide };
  struct Step {
    Op op;
    double number = 0;
    size_t parameter = 0;
  };
  using Formula = std::vector<Step>;  ///< the steps of a formula, in reverse Polish notation

  static double value_of(const Formula& formula, std::span<const double> numbers);

  Formula left_, right_;
  std::string comparison_;
};

}  // namespace kml::sweep
