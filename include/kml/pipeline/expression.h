#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kml/core/json.h"

namespace kml::pipeline {

struct ExpressionNode;

/// A condition of `when`: `train.accuracy >= 0.9 && params.deploy != "no"`. From the loosest to the tightest:
///
///     ||                   of truths; the right side is evaluated only where the left one is false
///     &&                   of truths; the right side is evaluated only where the left one is true
///     <= < >= > == !=      one between brackets: 1 < x < 2 is refused
///     + -
///     * /                  a division by 0 is an Error
///     ! -                  before a value
///     (x)  min(a, ...)  max(a, ...)  len(x)     min and max also take lists of numbers
///
/// Values are numbers (1, 0.5, 1e-3), texts in ' or " (with \' \" \\), true, false, null, and names with
/// dots.
///
/// A "-" directly between letters, digits or "_" belongs to the name, since names of steps have it:
/// `load-data.rows` is one name, `a.x - b.y` a difference. A name can begin with a digit if it has a letter
/// before its first dot: `2nd.rows`.
///
/// `==` and `!=` compare any two values; those of different types are unequal, and 1 == 1.0. The other
/// comparisons take two numbers or two texts (by code point). NaN compares false, but for `!=`. Sums and
/// products are of IEEE doubles, without tolerance: 0.1 + 0.2 != 0.3. len() counts a text's Unicode
/// characters, or what a list or a map holds. Parsed here, never handed to an interpreter.
class Expression {
 public:
  /// Throws usage Error "column 18: a value is missing" (in characters, from 1), and where the text has more
  /// than 10,000 bytes or is nested more than 100 deep, or where the whole is evidently a number or a text.
  explicit Expression(const std::string& text);

  const std::string& text() const { return text_; }
  /// Names in it, each once, in order: "train.accuracy", "params.deploy".
  const std::vector<std::string>& names() const { return names_; }

  /// Whether it holds. `value_of` gives the value of a name that the result depends on; null, of an output
  /// that was not made, can only be compared by == and !=. Throws usage Error, with the column as above, if
  /// types do not fit.
  bool holds(const std::function<Json(const std::string& name)>& value_of) const;

 private:
  std::string text_;
  std::vector<std::string> names_;
  std::shared_ptr<const ExpressionNode> root_;
};

}  // namespace kml::pipeline
