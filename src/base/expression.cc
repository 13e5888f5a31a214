#include "kml/base/expression.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "base/expression_tree.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/base/unicode.h"

namespace kml {

namespace {

using Node = ExpressionNode;
using NodeKind = ExpressionNode::Kind;

constexpr size_t kLongestExpression = 10000;
constexpr int kDeepestExpression = 100;

struct Correction {
  std::string_view wrong, right;
};
/// Operators and words of other languages. A sign comes before the signs with which it starts.
constexpr Correction kCorrections[] = {
    {"=>", ">="}, {"=<", "<="}, {"=", "=="},      {"&", "&&"},        {"|", "||"},      {"and", "&&"},
    {"or", "||"}, {"not", "!"}, {"True", "true"}, {"False", "false"}, {"None", "null"},
};

/// The bytes of the character at `at` if it can be in a name, else 0: a letter or digit of any script, or
/// "_".
size_t name_character_at(std::string_view text, size_t at) {
  if (at >= text.size()) return 0;
  const char c = text[at];
  if (static_cast<unsigned char>(c) < 0x80)
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ? 1 : 0;
  const std::optional<CodePoint> first = first_code_point(text.substr(at));
  return first && (is_letter_or_number(first->value) || is_mark(first->value)) ? first->bytes : 0;
}

/// The end of the name that starts at `at`; returns `at` if no name starts there.
size_t end_of_name(std::string_view text, size_t at) {
  if (name_character_at(text, at) == 0) return at;
  for (;;) {
    while (const size_t size = name_character_at(text, at)) at += size;
    const size_t next = text.substr(at).starts_with('.') ? at + 1 : text.find_first_not_of('-', at);
    if (name_character_at(text, next) == 0) return at;
    at = next;
  }
}

bool is_name_despite_digit(std::string_view name) {
  const std::string_view label = name.substr(0, name.find('.'));
  return label.size() < name.size() &&
         std::any_of(label.begin(), label.end(), [](char c) { return c != '-' && !is_digit(c); });
}

/// The type, as far as it is known without values. A name may have any type, so it counts as a boolean, which
/// a condition needs.
std::string evident_type(const Node& node) {
  if (node.kind == NodeKind::literal) return type_of(node.value);
  const bool is_number =
      is_calculation(node) || (node.kind == NodeKind::call && node.word != "!" && node.word != "isnan");
  return is_number ? "a number" : "a boolean";
}

class ExpressionParser {
 public:
  ExpressionParser(const std::string& text, std::vector<std::string>& names) : text_(text), names_(names) {}

  Node parse() {
    if (text_.size() > kLongestExpression) throw usage_error("the condition has more than 10,000 bytes");
    Node root = either();
    if (!at_end()) text_[at_] == ')' ? fail("unmatched `)`") : refuse("an operator");
    if (const std::string type = evident_type(root); type != "a boolean")
      throw error_at(text_, root.begin, "the condition needs true or false; this is " + type);
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
    } else if (name_character_at(text_, at_) == 0) {
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
    if (at_end()) throw error_at(text_, open, "this parenthesis is not closed");
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
        throw error_at(text_, i - 1, "unknown escape sequence in a text", "write \\\\ for a backslash");
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
    const std::vector<std::string> functions = {"isnan", "len", "max", "min"};
    if (std::find(functions.begin(), functions.end(), function) == functions.end()) {
      throw error_at(text_, begin,
                     "unknown function " + function + "; the functions are isnan, len, max, min",
                     did_you_mean(lower(function), functions));
    }
    Node node{NodeKind::call, begin, {}, function};
    const size_t open = deeper();
    do {
      take(1);
      node.operands.push_back(either());
    } while (!sign({","}).empty());
    close(open);
    if ((function == "len" || function == "isnan") && node.operands.size() > 1)
      throw error_at(text_, node.operands[1].begin, function + " needs one value");
    return node;
  }

  /// Which of these signs comes next in the text. Longer signs must be listed first.
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
    if (++depth_ > kDeepestExpression) fail("more than 100 nested parentheses and signs");
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

  /// An error at the end of the text is shown right after the last word, because the trailing space is not
  /// the fault.
  [[noreturn]] void fail(const std::string& what, std::string fix = {}) const {
    throw error_at(text_, at_ == text_.size() ? taken_ : at_, what, std::move(fix));
  }

  const std::string& text_;
  std::vector<std::string>& names_;
  size_t at_ = 0;
  size_t taken_ = 0;  ///< where the last token ends, without the space after it
  int depth_ = 0;
};

void add_compared(const Node& node, std::vector<std::pair<std::string, Json>>& found) {
  for (const Node& operand : node.operands) add_compared(operand, found);
  if (node.links.size() != 1 || (node.links[0].sign != "==" && node.links[0].sign != "!=")) return;
  for (const bool is_swapped : {false, true}) {
    const Node &left = node.operands[is_swapped ? 1 : 0], &right = node.operands[is_swapped ? 0 : 1];
    if (left.kind == NodeKind::name && right.kind == NodeKind::literal)
      found.emplace_back(left.word, right.value);
  }
}

}  // namespace

std::vector<std::pair<std::string, Json>> Expression::compared() const {
  std::vector<std::pair<std::string, Json>> found;
  add_compared(*root_, found);
  return found;
}

Expression::Expression(const std::string& text) : text_(text) {
  root_ = std::make_shared<const ExpressionNode>(ExpressionParser(text_, names_).parse());
}

}  // namespace kml
