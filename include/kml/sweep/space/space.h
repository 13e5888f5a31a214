#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/json.h"

namespace kml::sweep {

enum class Kind {
  real,
  integer,
  /// one of several numbers in rising order; neighboring ones are similar. A choice that would be printed
  /// differently as a number is a text: "0.50"
  ordinal,
  categorical,  ///< one of several values of any type
};

/// A parameter with this condition is active only if its parent is active and has one of these values.
struct Condition {
  std::string parent = {};
  std::vector<Json> values = {};
};

/// A number, or the number in a text ("0.01"), as in Katib; empty if it is neither, or not finite.
std::optional<double> number_of(const Json& value);

struct Parameter {
  std::string name = {};
  Kind kind = Kind::real;
  double low = 0;   ///< the lower bound of a real or integer parameter; both bounds are included
  double high = 0;  ///< the upper bound; if there is a step, the last value may be less than this bound
  /// for real and integer parameters: the distance between values, from `low`; 0 means none (1 for integers)
  double step = 0;
  bool log = false;
  /// Whether the value (or its logarithm, on a logarithmic axis) is drawn from a normal distribution; see
  /// Axis.
  bool normal = false;
  /// for a normal distribution: how many standard deviations each bound is from the mean
  double deviations = 3;
  /// If set, a value is drawn between these bounds and rounded to the nearest step.
  std::optional<std::pair<double, double>> drawn = {};
  std::vector<Json> choices = {};    ///< the choices of an ordinal or categorical parameter
  std::vector<double> weights = {};  ///< the weights of the choices; if empty, all have the same probability
  /// The names of the nested dictionaries, from the outermost, in which a trial receives the value; see
  /// TrialTemplate. Empty if the value is in no dictionary.
  std::vector<std::string> parents = {};
  /// The name in the innermost dictionary. `name` starts with the names of the dictionaries: "optimizer.lr".
  std::string own_name() const;
  std::optional<Condition> condition = {};
};

/// One value for each parameter, in the order of the space: the number, the index of the choice, or NaN for
/// an inactive parameter. Samplers use points; users see `Space::assignment`.
using Point = std::vector<double>;

/// Whether all values are equal. Two inactive parameters are equal.
bool same(const Point& a, const Point& b);

/// The search space. Immutable; copies share its data.
///
/// A constraint compares two sums of products: `batch * accum <= 4096`, `momentum + decay < 1`. Its tokens
/// are names (in double quotes unless they start with a letter or `_` and have only letters, digits, `_` and
/// `.`), numbers, `+ - * /`, parentheses, and one of `<= < >= > == !=`. A constraint on an inactive parameter
/// is satisfied.
class Space {
 public:
  /// Throws one usage Error with the problems found, each with a path such as `parameters[2]` or
  /// `constraints[0]`.
  explicit Space(std::vector<Parameter> parameters, const std::vector<std::string>& constraints = {});

  const std::vector<Parameter>& parameters() const;
  size_t dimensions() const { return parameters().size(); }

  /// The values by name: {"lr": 0.01, "layers": 3, "optimizer": "adam"}. Leaves out inactive parameters.
  Json assignment(const Point& point) const;
  /// The point for an assignment. Throws usage Error if a value is missing, unexpected, or not in the space.
  /// Does not check constraints. A number that differs from an integer or a step only by rounding is treated
  /// as that value.
  Point point(const Json& assignment) const;

  /// Whether the point meets the constraints.
  bool allows(const Point& point) const;

  /// The number of different points, ignoring constraints; empty if it is infinite or above 2^53.
  std::optional<std::uint64_t> size() const;
  /// The point with that index, which must be less than size(). Points are in the order of nested loops, with
  /// the first parameter as the outermost loop.
  Point grid_point(std::uint64_t index) const;

  /// The number of values of a parameter; 0 if it is continuous.
  std::uint64_t values(size_t parameter) const;

  /// The point at a position in the unit cube. A parameter's axis is its range, or the logarithm of its
  /// range, or the quantiles of its normal distribution. A discrete parameter's axis has one interval per
  /// value. Ignores coordinates of inactive parameters.
  Point from_unit(std::span<const double> unit) const;
  /// A parameter's value at a position on its axis.
  double value_at(size_t parameter, double unit) const;
  /// The center of the point's cell in the unit cube; NaN for inactive parameters.
  std::vector<double> to_unit(const Point& point) const;
  /// A value's interval on the unit axis; both ends are equal for a continuous parameter.
  std::pair<double, double> cell(size_t parameter, double value) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace kml::sweep
