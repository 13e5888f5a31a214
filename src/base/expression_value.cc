#include <algorithm>
#include <cmath>
#include <compare>
#include <optional>
#include <tuple>
#include <utility>

#include "base/expression_tree.h"
#include "kml/base/clean.h"
#include "kml/base/expression.h"
#include "kml/base/text.h"
#include "kml/base/value_text.h"

namespace kml {

size_t characters_in(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Error error_at(std::string_view text, size_t at, const std::string& what, std::string fix) {
  const std::string shown = clean(join(split(trim(text), '\n'), " "));
  return usage_error("column " + std::to_string(characters_in(text.substr(0, at)) + 1) + ": " + what,
                     shown.empty() ? "" : "the condition is: " + shown, std::move(fix));
}

std::string type_of(const Json& value) {
  if (value.is_number()) return "a number";
  if (value.is_string()) return "a text";
  if (value.is_boolean()) return "a boolean";
  if (value.is_null()) return "null";
  return value.is_array() ? "a list" : "a map";
}

bool is_calculation(const ExpressionNode& node) {
  return node.kind == ExpressionNode::Kind::chain && contains("+-*/", node.links[0].sign);
}

namespace {

Json converted(const Json& value) {
  return value.is_string() ? value_of_text(value.get_ref<const std::string&>()) : value;
}

/// Whether the node is a literal that can only be a text: a number or boolean would be printed differently,
/// as 3.1 for "3.10".
bool is_literal_text(const ExpressionNode& node, const Json& value) {
  return node.kind == ExpressionNode::Kind::literal && value.is_string() &&
         converted(value).dump() != value.get_ref<const std::string&>();
}

/// A step's output or a run's parameter is a number or boolean if it looks like one. So a text that looks
/// like a number or boolean is converted if it is compared with one.
Json fitted(const ExpressionNode& node, const Json& value, const Json& other) {
  const bool meets_one = other.is_number() || other.is_boolean();
  return meets_one && !is_literal_text(node, value) ? converted(value) : value;
}

std::string about(const ExpressionNode& node, const Json& value) {
  const bool is_name = node.kind == ExpressionNode::Kind::name,
             is_literal = node.kind == ExpressionNode::Kind::literal;
  const std::string subject = is_name ? node.word : is_literal ? json_text(value) : "this value";
  return subject + (value.is_null() ? " has no value" : " is " + type_of(value));
}

class ExpressionValue {
 public:
  using ValueOf = std::function<Json(const std::string& name)>;
  ExpressionValue(const std::string& text, const ValueOf& value_of) : text_(text), value_of_(value_of) {}

  bool truth(const ExpressionNode& node, std::string_view user) const {
    const Json found = value(node);
    if (!found.is_boolean()) refuse(node, found, user, "true or false");
    return found.get<bool>();
  }

  using IsOpen = std::function<bool(const std::string& name)>;
  std::optional<bool> known_truth(const ExpressionNode& node, std::string_view user,
                                  const IsOpen& is_open) const {
    if (node.kind == ExpressionNode::Kind::call && node.word == "!") {
      const auto known = known_truth(node.operands[0], "!", is_open);
      return known ? std::optional(!*known) : std::nullopt;
    }
    if (!is_joined(node)) return names_open(node, is_open) ? std::nullopt : std::optional(truth(node, user));
    const bool decisive = node.links[0].sign == "||";
    bool is_known = true;
    for (const ExpressionNode& operand : node.operands) {
      const auto known = known_truth(operand, node.links[0].sign, is_open);
      if (known == decisive) return decisive;
      is_known = is_known && known;
    }
    return is_known ? std::optional(!decisive) : std::nullopt;
  }

 private:
  /// Whether the expression is a chain of && or ||.
  static bool is_joined(const ExpressionNode& node) {
    return node.kind == ExpressionNode::Kind::chain && contains("&&||", node.links[0].sign);
  }

  static bool is_nan_test_of_name(const ExpressionNode& node) {
    return node.kind == ExpressionNode::Kind::call && node.word == "isnan" &&
           node.operands[0].kind == ExpressionNode::Kind::name;
  }

  static bool is_literal(const ExpressionNode& node) { return node.kind == ExpressionNode::Kind::literal; }

  bool names_open(const ExpressionNode& node, const IsOpen& is_open) const {
    if (node.kind == ExpressionNode::Kind::name) return is_open(node.word);
    // A caller may count a NaN as open, because no comparison with it is true; isnan() has an answer.
    if (is_nan_test_of_name(node)) return is_open(node.operands[0].word) && !is_nan(value(node.operands[0]));
    return std::any_of(node.operands.begin(), node.operands.end(),
                       [&](const ExpressionNode& operand) { return names_open(operand, is_open); });
  }

  Json value(const ExpressionNode& node) const {
    if (node.kind == ExpressionNode::Kind::literal) return node.value;
    if (node.kind == ExpressionNode::Kind::name) return value_of_(node.word);
    if (node.kind == ExpressionNode::Kind::call) return called(node);
    if (is_joined(node)) return joined(node, node.links[0].sign);
    return is_calculation(node) ? Json(calculated(node)) : Json(compares(node));
  }

  Json called(const ExpressionNode& node) const {
    if (node.word == "!") return !truth(node.operands[0], "!");
    if (node.word == "isnan") return is_nan(value(node.operands[0]));
    if (node.word == "-") return -number(node.operands[0], "-");
    return node.word == "len" ? Json(length(node.operands[0])) : Json(extreme(node));
  }

  static bool is_nan(const Json& value) { return value.is_number_float() && std::isnan(value.get<double>()); }

  double number(const ExpressionNode& node, std::string_view user) const {
    const Json found = value(node), number = is_literal(node) ? found : converted(found);
    if (!number.is_number()) refuse(node, found, user, "numbers");
    return number.get<double>();
  }

  bool joined(const ExpressionNode& node, std::string_view sign) const {
    const bool decisive = sign == "||";
    for (const ExpressionNode& operand : node.operands)
      if (truth(operand, sign) == decisive) return decisive;
    return !decisive;
  }

  double calculated(const ExpressionNode& node) const {
    double result = number(node.operands[0], node.links[0].sign);
    for (size_t i = 1; i < node.operands.size(); ++i) {
      const std::string_view sign = node.links[i - 1].sign;
      const double right = number(node.operands[i], sign);
      if (sign == "/" && right == 0) throw error_at(text_, node.operands[i].begin, "division by 0");
      if (sign == "+") result += right;
      if (sign == "-") result -= right;
      if (sign == "*") result *= right;
      if (sign == "/") result /= right;
    }
    return result;
  }

  bool compares(const ExpressionNode& node) const {
    const std::string_view sign = node.links[0].sign;
    const Json found = value(node.operands[0]), other = value(node.operands[1]);
    Json left = fitted(node.operands[0], found, other), right = fitted(node.operands[1], other, found);
    const bool is_order = sign != "==" && sign != "!=";
    if (is_order && !is_literal(node.operands[0]) && !is_literal(node.operands[1])) {
      const Json first = converted(left), second = converted(right);
      if (first.is_number() && second.is_number()) std::tie(left, right) = std::pair(first, second);
    }
    if (left.is_number() && right.is_number())
      // Uses long double, because neighboring 64-bit integers would be equal as doubles.
      return agrees(left.get<long double>() <=> right.get<long double>(), sign);
    if (!is_order) return (left == right) == (sign == "==");
    if (left.is_string() && right.is_string())
      return agrees(left.get_ref<const std::string&>() <=> right.get_ref<const std::string&>(), sign);
    throw error_at(text_, node.links[0].at,
                   std::string(sign) + " compares two numbers or two texts; " +
                       about(node.operands[0], left) + ", " + about(node.operands[1], right));
  }

  static bool agrees(std::partial_ordering order, std::string_view sign) {
    if (sign == "==") return order == 0;
    if (sign == "!=") return order != 0;
    if (sign == "<") return order < 0;
    if (sign == "<=") return order <= 0;
    return sign == ">" ? order > 0 : order >= 0;
  }

  /// The minimum or maximum of numbers, including numbers in lists. NaN if any of them is NaN, so that the
  /// order of the arguments does not matter.
  double extreme(const ExpressionNode& node) const {
    std::vector<double> numbers;
    for (const ExpressionNode& operand : node.operands) add_numbers(operand, node.word, numbers);
    if (numbers.empty()) throw error_at(text_, node.begin, node.word + " of an empty list");
    double result = numbers[0];
    for (const double other : numbers)
      if (other != other || (node.word == "min" ? other < result : other > result)) result = other;
    return result;
  }

  void add_numbers(const ExpressionNode& node, std::string_view user, std::vector<double>& numbers) const {
    const Json found = value(node);
    for (const Json& item : found.is_array() ? found : Json::array({found})) {
      const Json number = is_literal(node) ? item : converted(item);
      if (!number.is_number()) refuse(node, item, user, "numbers");
      numbers.push_back(number.get<double>());
    }
  }

  size_t length(const ExpressionNode& node) const {
    const Json found = value(node);
    if (found.is_string()) return characters_in(found.get_ref<const std::string&>());
    if (!found.is_structured()) refuse(node, found, "len", "a text, a list or a map");
    return found.size();
  }

  [[noreturn]] void refuse(const ExpressionNode& node, const Json& value, std::string_view user,
                           const std::string& needed) const {
    throw error_at(text_, node.begin, std::string(user) + " needs " + needed + "; " + about(node, value));
  }

  const std::string& text_;
  const ValueOf& value_of_;
};

}  // namespace

bool Expression::holds(const std::function<Json(const std::string& name)>& value_of) const {
  return ExpressionValue(text_, value_of).truth(*root_, "the condition");
}

std::optional<bool> Expression::holds_already(
    const std::function<Json(const std::string& name)>& value_of,
    const std::function<bool(const std::string& name)>& is_open) const {
  return ExpressionValue(text_, value_of).known_truth(*root_, "the condition", is_open);
}

}  // namespace kml
