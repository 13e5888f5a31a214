#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"

namespace kml::pipeline {

/// A condition of `when`: `train.accuracy >= 0.9 && params.deploy != "no"`.
///
/// Comparisons (`<= < >= > == !=`) of sums of products, `&&`, `||`, `!`, brackets, min(a, b), max(a, b),
/// len(x); numbers, texts in single or double quotes, true, false, and names with dots. `==` and `!=` compare
/// any two values, the others two numbers or two texts. Parsed here, never handed to an interpreter.
class Expression {
 public:
  /// Throws usage Error that says where the text stops making sense.
  explicit Expression(const std::string& text);

  const std::string& text() const { return text_; }
  /// Names in it, each once, in order: "train.accuracy", "params.deploy".
  const std::vector<std::string>& names() const { return names_; }

  /// Whether it holds. `value_of` gives the value of a name. Throws usage Error if types do not fit.
  bool holds(const std::function<Json(const std::string& name)>& value_of) const;

 private:
  friend class ExpressionParser;
  struct Node;

  std::string text_;
  std::vector<std::string> names_;
  std::shared_ptr<const Node> root_;
};

}  // namespace kml::pipeline
