#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kml/core/json.h"

namespace kml::sweep {

enum class Kind {
  real,
  integer,
  ordinal,      ///< numbers to choose from, in rising order: neighbours are alike
  categorical,  ///< anything to choose from
};

/// The parameter counts only where its parent is active and has one of these values.
struct Condition {
  std::string parent = {};
  std::vector<Json> values = {};
};

struct Parameter {
  std::string name = {};
  Kind kind = Kind::real;
  double low = 0;   ///< real and integer: both bounds are included
  double high = 0;  ///< with a step, the last value is the last one not above it
  double step = 0;  ///< of real and integer, counted from `low`; 0: none (1 for integers)
  bool log = false;
  std::vector<Json> choices = {};  ///< of ordinal and categorical
  std::optional<Condition> condition = {};
};

/// One value a parameter, in the space's order: the number itself, the choice's index, or NaN where the
/// parameter is inactive. What samplers work on; `Space::assignment` is what users see.
using Point = std::vector<double>;

/// Equal in every value; two inactive parameters are equal.
bool same(const Point& a, const Point& b);

/// What may be tried. Immutable; copies share.
///
/// A constraint compares two sums of products: `batch * accum <= 4096`, `momentum + decay < 1`. Its words
/// are names (in double quotes where they are no identifiers), numbers, `+ - * /`, brackets, and one of
/// `<= < >= > == !=`. One that names an inactive parameter holds.
class Space {
 public:
  /// Throws usage Error with every problem, each with a path as `parameters[2]` or `constraints[0]`.
  explicit Space(std::vector<Parameter> parameters, const std::vector<std::string>& constraints = {});

  const std::vector<Parameter>& parameters() const;
  size_t dimensions() const { return parameters().size(); }

  /// {"lr": 0.01, "layers": 3, "optimizer": "adam"}; inactive parameters are absent.
  Json assignment(const Point& point) const;
  /// The reverse. Throws usage Error if a value is missing, surplus, or none of this space (constraints
  /// are not looked at). A number within 1e-9 of a step's or integer's value is taken for it.
  Point point(const Json& assignment) const;

  /// Whether the constraints hold.
  bool allows(const Point& point) const;

  /// How many different points there are, constraints aside; empty if that is infinite or above 2^53.
  std::optional<std::uint64_t> size() const;
  /// Point `index` of `size()`, in the order of nested loops, the first parameter outermost.
  Point grid_point(std::uint64_t index) const;

  /// The number of values of a parameter; 0 if it is continuous.
  std::uint64_t values(size_t parameter) const;

  /// The point at a place of the unit cube. Each parameter's axis is its range, or the logarithm's; a
  /// discrete one divides it into one interval a value. Coordinates of inactive parameters are not looked at.
  Point from_unit(std::span<const double> unit) const;
  /// One parameter's value at a place of its axis.
  double value_at(size_t parameter, double unit) const;
  /// The middle of the point's place in the unit cube; NaN where inactive.
  std::vector<double> to_unit(const Point& point) const;
  /// The interval of the unit axis that belongs to a value; both ends are equal where it is continuous.
  std::pair<double, double> cell(size_t parameter, double value) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace kml::sweep
