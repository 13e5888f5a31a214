#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/json.h"

namespace kml {

struct ExpressionNode;

/// A condition of `when`: `train.accuracy >= 0.9 && params.deploy != "no"`. Operators, from the lowest
/// precedence to the highest:
///
///     ||                   of booleans; evaluates the right side only if the left one is false
///     &&                   of booleans; evaluates the right side only if the left one is true
///     <= < >= > == !=      cannot be chained: 1 < x < 2 is an error
///     + -
///     * /                  a division by 0 is an Error
///     ! -                  before a value
///     (x)  min(a, ...)  max(a, ...)  len(x)     min and max also take lists of numbers
///     isnan(x)                                  false for all values except the number NaN
///
/// Values are numbers (1, 0.5, 1e-3), texts in ' or " (with \' \" \\), true, false, null, and names with
/// dots. Names have letters and digits of any script, and "_".
///
/// A "-" directly between letters, digits or "_" is part of the name, because names of steps may contain it:
/// `load-data.rows` is one name, `a.x - b.y` is a difference. A name can start with a digit if it has a
/// letter before its first dot: `2nd.rows`.
///
/// `==` and `!=` compare any two values; 1 == 1.0 holds. An output or a parameter is a number or a boolean if
/// it looks like one. So a text that looks like one is converted if it meets one: a.x == '5' holds if a.x is
/// 5. A quoted text stays a text if a number would be printed differently: '3.10'. Other values of different
/// types are unequal. The other comparisons take two numbers or two texts
/// (compared by code point, but two outputs that look like numbers are compared as numbers). All comparisons
/// with NaN are false, except `!=`. Arithmetic uses IEEE doubles without tolerance: 0.1 + 0.2 != 0.3. len()
/// counts the Unicode characters of a text, or the items of a list or map. kml parses expressions itself and
/// never passes them to another interpreter.
class Expression {
 public:
  /// Throws usage Error for an invalid expression: "column 18: a value is missing". Columns are counted in
  /// characters from 1. An expression is also invalid if it has more than 10,000 bytes, is nested more than
  /// 100 levels deep, or is obviously not a condition, such as a number or a text.
  explicit Expression(const std::string& text);

  const std::string& text() const { return text_; }
  /// The names in the expression, each once, in order: "train.accuracy", "params.deploy".
  const std::vector<std::string>& names() const { return names_; }

  /// The names that `==` or `!=` compares with a literal, and these literals.
  std::vector<std::pair<std::string, Json>> compared() const;

  /// Whether the condition is true. Calls `value_of` for the names on which the result depends. `value_of`
  /// must return null for an output that was not made; null may only be compared by == and !=. Throws usage
  /// Error, with the column, if types do not match, or a value cannot be computed, as for a division by 0.
  bool holds(const std::function<Json(const std::string& name)>& value_of) const;

  /// The result of the condition, if it is certain although the names for which `is_open` returns true have
  /// no value yet. Empty if the result may depend on them. `a && b` is false if one of the two is false,
  /// whatever the value of the other. isnan(a) is certain if `value_of` returns NaN, even if a is open.
  std::optional<bool> holds_already(const std::function<Json(const std::string& name)>& value_of,
                                    const std::function<bool(const std::string& name)>& is_open) const;

 private:
  std::string text_;
  std::vector<std::string> names_;
  std::shared_ptr<const ExpressionNode> root_;
};

}  // namespace kml
