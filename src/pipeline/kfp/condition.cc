#include "pipeline/kfp/condition.h"

#include <algorithm>
#include <string_view>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "pipeline/kfp/values.h"

namespace kml::pipeline::kfp {

namespace {

using InputNamed = std::function<const Binding&(const std::string& key)>;

/// One side of a comparison, in the syntax of Expression.
struct Operand {
  std::vector<std::string> texts;  ///< for an output: one text for each step that may have made it
  bool is_output = false;
};

std::string quoted_literal(const Json& value) {
  if (!value.is_string()) return compact_text(value);
  std::string text = "'";
  for (const char c : value.get<std::string>()) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c;
  }
  return text + "'";
}

bool is_plain_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

class ConditionTranslator {
 public:
  ConditionTranslator(const std::string& text, const InputNamed& input) : text_(text), input_(input) {}

  std::string translate() {
    std::string result = terms();
    if (at_ < text_.size()) unknown();
    return result;
  }

 private:
  std::string terms() {
    std::string result = term();
    while (true) {
      if (take("&&"))
        result += " && " + term();
      else if (take("||"))
        result += " || " + term();
      else
        return result;
    }
  }

  std::string term() {
    if (take("!(")) return negated();
    if (take("(")) return "(" + inside() + ")";
    return comparison();
  }

  std::string inside() {
    if (++depth_ > kDeepest) unknown();
    std::string result = terms();
    if (!take(")")) unknown();
    --depth_;
    return result;
  }

  /// Adds a check that x exists, because `!(x == 1)` would otherwise be true if x was not made.
  std::string negated() {
    const size_t first = outputs_.size();
    std::string result = "!(" + inside() + ")";
    for (size_t i = first; i < outputs_.size(); ++i)
      if (result.find("==") != std::string::npos || result.find("!=") != std::string::npos)
        result += " && " + outputs_[i] + " != null";
    outputs_.resize(first);
    return result;
  }

  std::string comparison() {
    const Operand left = operand();
    std::string sign = this->sign();
    const Operand right = operand();
    std::vector<std::string> cases;
    for (const std::string& a : left.texts)
      for (const std::string& b : right.texts)
        cases.push_back(guard(left, a) + guard(right, b) + a + " " + sign + " " + b);
    for (const Operand* side : {&left, &right})
      if (side->is_output && side->texts.size() == 1) outputs_.push_back(side->texts[0]);
    if (cases.size() == 1) return cases[0];
    std::string result;
    for (const std::string& text : cases) result += (result.empty() ? "((" : ") || (") + text;
    return result + "))";
  }

  /// Of several outputs, the first one that exists is used.
  static std::string guard(const Operand& side, const std::string& chosen) {
    std::string result;
    if (side.texts.size() == 1) return result;
    for (const std::string& text : side.texts) {
      result += text + (text == chosen ? " != null && " : " == null && ");
      if (text == chosen) break;
    }
    return result;
  }

  std::string sign() {
    for (const char* sign : {"==", "!=", "<=", ">=", "<", ">"})
      if (take(sign)) return sign;
    unknown();
  }

  Operand operand(std::string_view type = {}) {
    for (const auto& [cast, cast_type] : {std::pair{"int(", "NUMBER_INTEGER"}, {"double(", "NUMBER_DOUBLE"}})
      if (take(cast)) {
        if (++depth_ > kDeepest) unknown();
        Operand inner = operand(cast_type);
        if (!take(")")) unknown();
        --depth_;
        return inner;
      }
    if (!take("inputs.parameter_values['")) return {{literal()}};
    const size_t end = text_.find("']", at_);
    if (end == std::string::npos) unknown();
    const std::string key = text_.substr(at_, end - at_);
    at_ = end + 2;
    return operand_of(input_(key), key, type);
  }

  static Operand operand_of(const Binding& binding, const std::string& key, std::string_view type) {
    if (binding.kind == Binding::Kind::constant) {
      const Json value = type.empty() ? binding.value : typed(binding.value, type);
      if (is_plain_name(binding.param) && value == binding.value && value.is_primitive())
        return {{"params." + binding.param}};
      if (value.is_structured()) throw usage_error("a condition cannot use a list or a map: " + key);
      return {{quoted_literal(value)}};
    }
    if (binding.kind != Binding::Kind::output || !binding.keys.empty())
      throw usage_error("a condition cannot use a text that is made of several values: " + key);
    Operand operand{{}, true};
    for (const Source& source : binding.sources) operand.texts.push_back(source.text());
    return operand;
  }

  /// Reads a text, a number, `true` or `false`. The SDK does not escape quotes in a text, so the text ends at
  /// the first quote before a space, a ")" or the end.
  std::string literal() {
    skip_space();
    const size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '\'') {
      for (size_t end = at_ + 1; end < text_.size(); ++end)
        if (text_[end] == '\'' &&
            (end + 1 == text_.size() || text_[end + 1] == ' ' || text_[end + 1] == ')')) {
          at_ = end + 1;
          return quoted_literal(text_.substr(begin + 1, end - begin - 1));
        }
      unknown();
    }
    while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != ')') ++at_;
    std::string word = text_.substr(begin, at_ - begin);
    const Json value = Json::parse(word, nullptr, false);
    if (!value.is_number() && !value.is_boolean()) {
      at_ = begin;
      unknown();
    }
    return word;
  }

  bool take(std::string_view token) {
    skip_space();
    if (std::string_view(text_).substr(at_).substr(0, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  [[noreturn]] void unknown() const {
    throw usage_error("unsupported condition at \"" + text_.substr(at_, 30) + "\": " + text_);
  }

  static constexpr int kDeepest = 100;

  const std::string text_;
  const InputNamed& input_;
  size_t at_ = 0;
  int depth_ = 0;
  std::vector<std::string> outputs_;  ///< the outputs used in the comparisons of this term
};

}  // namespace

std::string translated(const std::string& condition, const InputNamed& input) {
  return ConditionTranslator(condition, input).translate();
}

}  // namespace kml::pipeline::kfp
