#pragma once

#include <map>
#include <string>

#include "kml/base/expression.h"

namespace kml::cli {

/// A condition on runs, in which a quoted name may be compared with a number, null or a text, or be the
/// argument of isnan(): '"accuracy/top1" > 0.9', '"tags.my paper" == "yes"'. No other condition has this
/// form, because a comparison of two fixed values would always have the same result.
class RunCondition {
 public:
  /// Throws usage Error like Expression.
  explicit RunCondition(const std::string& where);

  const Expression& expression() const { return expression_; }
  /// The name of a metric or parameter that this name in the expression stands for.
  const std::string& meant(const std::string& name) const;
  /// The text with quoted names as the user wrote them.
  std::string as_typed(std::string text) const;

 private:
  static Expression rewritten(const std::string& where, std::map<std::string, std::string>& quoted);

  /// the quoted names, by the names that stand for them in the expression
  std::map<std::string, std::string> quoted_;
  Expression expression_;
};

}  // namespace kml::cli
