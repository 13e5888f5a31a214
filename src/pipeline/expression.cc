#include "kml/pipeline/expression.h"

#include <algorithm>
#include <charconv>
#include <compare>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "kml/core/clean.h"
#include "kml/core/error.h"
#include "kml/core/text.h"

namespace kml::pipeline {

/// A chain has all operands of one precedence: as pairs, `1+1+1+...` would be as deep as it is long.
struct ExpressionNode {
  enum class Kind { literal, name, call, chain };
  struct Link {
    std::string_view sign;
    size_t at;
  };

  Kind kind;
  size_t begin = 0;       ///< in the text
  Json value = {};        ///< of a literal
  std::string word = {};  ///< the name; of a call, the function's, "!" or "-"
  std::vector<ExpressionNode> operands = {};
  std::vector<Link> links = {};  ///< of a chain: before each operand but the first
};

namespace {

using Node = ExpressionNode;
using NodeKind = ExpressionNode::Kind;

constexpr size_t kLongestExpression = 10000;
constexpr int kDeepestExpression = 100;

struct Correction {
  std::string_view wrong, right;
};
/// What other languages write; the longer ones first.
constexpr Correction kCorrections[] = {
    {"=>", ">="}, {"=<", "<="}, {"=", "=="},      {"&", "&&"},        {"|", "||"},      {"and", "&&"},
    {"or", "||"}, {"not", "!"}, {"True", "true"}, {"False", "false"}, {"None", "null"},
};

bool is_name_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

size_t characters_in(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Error error_at(std::string_view text, size_t at, const std::string& what, std::string fix = {}) {
  const std::string shown = clean(join(split(trim(text), '\n'), " "));
  return usage_error("column " + std::to_string(characters_in(text.substr(0, at)) + 1) + ": " + what,
                     shown.empty() ? "" : "the condition is: " + shown, std::move(fix));
}

/// Where the name that begins at `at` ends; `at` if none does.
size_t end_of_name(std::string_view text, size_t at) {
  const auto is_name_at = [&](size_t i) { return i < text.size() && is_name_character(text[i]); };
  if (!is_name_at(at)) return at;
  for (;;) {
    while (is_name_at(at)) ++at;
    const size_t next = text.substr(at).starts_with('.') ? at + 1 : text.find_first_not_of('-', at);
    if (!is_name_at(next)) return at;
    at = next;
  }
}

bool is_name_despite_digit(std::string_view name) {
  const std::string_view label = name.substr(0, name.find('.'));
  return label.size() < name.size() &&
         std::any_of(label.begin(), label.end(), [](char c) { return is_name_character(c) && !is_digit(c); });
}

std::string type_of(const Json& value) {
  if (value.is_number()) return "a number";
  if (value.is_string()) return "a text";
  if (value.is_boolean()) return "a boolean";
  if (value.is_null()) return "null";
  return value.is_array() ? "a list" : "a map";
}

std::string about(const Node& node, const Json& value) {
  const bool is_name = node.kind == NodeKind::name, is_literal = node.kind == NodeKind::literal;
  const std::string subject = is_name ? node.word : is_literal ? json_text(value) : "this value";
  return subject + (value.is_null() ? " has no value" : " is " + type_of(value));
}

bool is_calculation(const Node& node) {
  return node.kind == NodeKind::chain && contains("+-*/", node.links[0].sign);
}

/// A name's value is taken for one that fits.
std::string evident_type(const Node& node) {
  if (node.kind == NodeKind::literal) return type_of(node.value);
  const bool is_number = is_calculation(node) || (node.kind == NodeKind::call && node.word != "!");
  return is_number ? "a number" : "a boolean";
}

class ExpressionParser {
 public:
  ExpressionParser(const std::string& text, std::vector<std::string>& names) : text_(text), names_(names) {}

  Node parse() {
    if (text_.size() > kLongestExpression) throw usage_error("the condition has more than 10,000 characters");
    Node root = either();
    if (!at_end()) text_[at_] == ')' ? fail("this bracket was not opened") : refuse("an operator");
    if (const std::string type = evident_type(root); type != "a boolean")
      throw error_at(text_, root.begin, "when needs true or false; this is " + type);
    return root;
  }

 private:
  using Signs = std::initializer_list<std::string_view>;

  Node either() { return chain(&ExpressionParser::both, {"||"}); }
  Node both() { return chain(&ExpressionParser::comparison, {"&&"}); }
  Node sum() { return chain(&ExpressionParser::product, {"+", "-"}); }
  Node product() { return chain(&ExpressionParser::prefixed, {"*", "/"}); }

  Node comparison() {
    Node node = chain(&ExpressionParser::sum, {"<=", ">=", "==", "!=", "<", ">"});
    if (node.links.size() > 1 && !is_calculation(node) && contains("<>=!", node.links[1].sign.substr(0, 1)))
      throw error_at(text_, node.links[1].at, "a comparison cannot follow another",
                     "join them: 1 < x && x < 2");
    return node;
  }

  Node chain(Node (ExpressionParser::*next)(), Signs signs) {
    skip_space();
    Node node{NodeKind::chain, at_};
    node.operands.push_back((this->*next)());
    for (std::string_view found; !(found = sign(signs)).empty();) {
      node.links.push_back({found, at_});
      take(found.size());
      node.operands.push_back((this->*next)());
    }
    return node.links.empty() ? Node(std::move(node.operands[0])) : node;
  }

  Node prefixed() {
    const std::string_view found = sign({"!=", "!", "-"});
    if (found.empty() || found == "!=") return operand();
    Node node{NodeKind::call, at_, {}, std::string(found)};
    deeper();
    take(1);
    node.operands.push_back(prefixed());
    --depth_;
    return node;
  }

  Node operand() {
    if (at_end()) refuse("a value");
    const char c = text_[at_];
    if (c == '(') return bracket();
    if (c == '"' || c == '\'') return quoted();
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
      if (!is_name_despite_digit(name_here())) return number();
    } else if (!is_name_character(c)) {
      refuse("a value");
    }
    return word();
  }

  Node bracket() {
    const size_t open = deeper();
    take(1);
    Node node = either();
    close(open);
    return node;
  }

  void close(size_t open) {
    if (at_end()) throw error_at(text_, open, "this bracket is not closed");
    if (text_[at_] != ')') refuse("an operator");
    take(1);
    --depth_;
  }

  Node quoted() {
    std::string content;
    for (size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] == text_[at_]) {
        const size_t begin = at_;
        take(i + 1 - at_);
        return {NodeKind::literal, begin, content};
      }
      if (text_[i] == '\\' && ++i < text_.size() && !contains("'\"\\", text_.substr(i, 1)))
        throw error_at(text_, i - 1, "unknown escape in a text", "write \\\\ for a backslash");
      if (i < text_.size()) content += text_[i];
    }
    fail("this text has no closing quote");
  }

  Node number() {
    const size_t at = at_;
    const char *begin = text_.data() + at_, *all = text_.data() + text_.size();
    double value = 0;
    const auto [end, error] = std::from_chars(begin, all, value);
    if (error != std::errc()) fail("this number is too large or too small");
    long long whole = 0;
    const bool is_whole = std::from_chars(begin, all, whole).ptr == end;
    take(static_cast<size_t>(end - begin));
    return {NodeKind::literal, at, is_whole ? Json(whole) : Json(value)};
  }

  Node word() {
    refuse_correctable();
    const std::string name(name_here());
    const size_t begin = at_;
    take(name.size());
    if (!sign({"("}).empty()) return call(name, begin);
    if (name == "null") return {NodeKind::literal, begin};
    if (name == "true" || name == "false") return {NodeKind::literal, begin, name == "true"};
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
    return {NodeKind::name, begin, {}, name};
  }

  Node call(const std::string& function, size_t begin) {
    const std::vector<std::string> functions = {"len", "max", "min"};
    if (std::find(functions.begin(), functions.end(), function) == functions.end()) {
      throw error_at(text_, begin, "unknown function " + function + "; the functions are len, max, min",
                     did_you_mean(function, functions));
    }
    Node node{NodeKind::call, begin, {}, function};
    const size_t open = deeper();
    do {
      take(1);
      node.operands.push_back(either());
    } while (!sign({","}).empty());
    close(open);
    if (function == "len" && node.operands.size() > 1)
      throw error_at(text_, node.operands[1].begin, "len takes one value");
    return node;
  }

  /// The first of them that comes next; the longer ones are to stand first.
  std::string_view sign(Signs signs) {
    skip_space();
    for (const std::string_view candidate : signs)
      if (text_.compare(at_, candidate.size(), candidate) == 0) return candidate;
    return {};
  }

  std::string_view name_here() const {
    return std::string_view(text_).substr(at_, end_of_name(text_, at_) - at_);
  }

  void take(size_t count) { taken_ = at_ += count; }
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  bool at_end() { return skip_space(), at_ == text_.size(); }

  size_t deeper() {
    if (++depth_ > kDeepestExpression) fail("more than 100 nested brackets and signs");
    return at_;
  }

  void refuse_correctable() const {
    const std::string_view name = name_here(), rest = std::string_view(text_).substr(at_);
    for (const auto& [wrong, right] : kCorrections)
      if (name.empty() ? rest.starts_with(wrong) && !rest.starts_with(right) : name == wrong)
        fail("write " + std::string(right) + " instead of " + std::string(wrong));
  }

  [[noreturn]] void refuse(const std::string& missing) const {
    refuse_correctable();
    fail(missing + " is missing");
  }

  /// At the end of the text, the place is after its last word: trailing space is not what is wrong.
  [[noreturn]] void fail(const std::string& what, std::string fix = {}) const {
    throw error_at(text_, at_ == text_.size() ? taken_ : at_, what, std::move(fix));
  }

  const std::string& text_;
  std::vector<std::string>& names_;
  size_t at_ = 0;
  size_t taken_ = 0;  ///< the end of what was read, before the space that follows it
  int depth_ = 0;
};

class ExpressionValue {
 public:
  using ValueOf = std::function<Json(const std::string& name)>;
  ExpressionValue(const std::string& text, const ValueOf& value_of) : text_(text), value_of_(value_of) {}

  bool truth(const Node& node, std::string_view user) const {
    const Json found = value(node);
    if (!found.is_boolean()) refuse(node, found, user, "true or false");
    return found.get<bool>();
  }

 private:
  Json value(const Node& node) const {
    if (node.kind == NodeKind::literal) return node.value;
    if (node.kind == NodeKind::name) return value_of_(node.word);
    if (node.kind == NodeKind::call) return called(node);
    if (const auto sign = node.links[0].sign; sign == "&&" || sign == "||") return joined(node, sign);
    return is_calculation(node) ? Json(calculated(node)) : Json(compares(node));
  }

  Json called(const Node& node) const {
    if (node.word == "!") return !truth(node.operands[0], "!");
    if (node.word == "-") return -number(node.operands[0], "-");
    return node.word == "len" ? Json(length(node.operands[0])) : Json(extreme(node));
  }

  double number(const Node& node, std::string_view user) const {
    const Json found = value(node);
    if (!found.is_number()) refuse(node, found, user, "numbers");
    return found.get<double>();
  }

  bool joined(const Node& node, std::string_view sign) const {
    const bool decisive = sign == "||";
    for (const Node& operand : node.operands)
      if (truth(operand, sign) == decisive) return decisive;
    return !decisive;
  }

  double calculated(const Node& node) const {
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

  bool compares(const Node& node) const {
    const std::string_view sign = node.links[0].sign;
    const Json left = value(node.operands[0]), right = value(node.operands[1]);
    if (left.is_number() && right.is_number())
      // Of 64-bit integers, a double would take neighbours for equal.
      return agrees(left.get<long double>() <=> right.get<long double>(), sign);
    if (sign == "==" || sign == "!=") return (left == right) == (sign == "==");
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

  /// NaN wherever one of them is: the order of the arguments must not matter.
  double extreme(const Node& node) const {
    double result = number(node.operands[0], node.word);
    for (size_t i = 1; i < node.operands.size(); ++i) {
      const double other = number(node.operands[i], node.word);
      if (other != other || (node.word == "min" ? other < result : other > result)) result = other;
    }
    return result;
  }

  size_t length(const Node& node) const {
    const Json found = value(node);
    if (found.is_string()) return characters_in(found.get_ref<const std::string&>());
    if (!found.is_structured()) refuse(node, found, "len", "a text, a list or a map");
    return found.size();
  }

  [[noreturn]] void refuse(const Node& node, const Json& value, std::string_view user,
                           const std::string& needed) const {
    throw error_at(text_, node.begin, std::string(user) + " needs " + needed + "; " + about(node, value));
  }

  const std::string& text_;
  const ValueOf& value_of_;
};

}  // namespace

Expression::Expression(const std::string& text) : text_(text) {
  root_ = std::make_shared<const ExpressionNode>(ExpressionParser(text_, names_).parse());
}

bool Expression::holds(const std::function<Json(const std::string& name)>& value_of) const {
  return ExpressionValue(text_, value_of).truth(*root_, "when");
}

}  // namespace kml::pipeline
