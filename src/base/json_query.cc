#include "kml/base/json_query.h"

#include <charconv>

#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml {

/// Parses a path from left to right.
class JsonQuery::Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  std::vector<Step> steps() {
    std::vector<Step> steps;
    do {
      if (!steps.empty()) {
        steps.back().for_each = steps.back().kind == Step::Kind::every && text_[at_] == '.';
        ++at_;
      }
      steps.push_back(step());
    } while (is_at(".|"));
    if (at_ < text_.size()) fail("\".\", \"|\" or the end");
    return steps;
  }

 private:
  Step step() {
    if (take("[@this]")) return {Step::Kind::list_of_self};
    if (take("@this")) return {Step::Kind::self};
    if (take("#(")) return matching();
    Step step{.key = key(".|")};
    if (step.key.empty()) fail("a key");
    if (step.key.find_first_of("#@*?[{!") != std::string::npos) fail("a plain key, #(...) or @this");
    return step;
  }

  Step matching() {
    Step step{Step::Kind::first};
    while (!is_at("=!<>)")) {
      if (!step.left.empty() && !take(".")) fail("a comparison");
      step.left.push_back({.key = key(".=!<>)")});
      if (step.left.back().key.empty()) fail("a key");
    }
    for (const char* comparison : {"==", "!=", "<=", ">=", "<", ">"})
      if (step.comparison.empty() && take(comparison)) step.comparison = comparison;
    if (!step.comparison.empty()) step.right = literal();
    if (!take(")")) fail("\")\"");
    if (take("#")) step.kind = Step::Kind::every;
    return step;
  }

  std::string key(std::string_view ends) {
    std::string key;
    while (at_ < text_.size() && !is_at(ends)) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      key += text_[at_++];
    }
    return key;
  }

  Json literal() {
    if (take("\"")) {
      std::string value = key("\"");
      if (!take("\"")) fail("a closing quote");
      return value;
    }
    for (const auto& [word, value] :
         {std::pair<const char*, Json>("true", true), {"false", false}, {"null", nullptr}})
      if (take(word)) return value;
    double number = 0;
    const auto [end, failure] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (failure != std::errc()) fail("a string in quotes, a number, true, false or null");
    at_ = static_cast<size_t>(end - text_.data());
    return number;
  }

  bool is_at(std::string_view any_of) const {
    return at_ < text_.size() && any_of.find(text_[at_]) != std::string_view::npos;
  }

  bool take(std::string_view word) {
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    throw usage_error("the path " + text_ + " has an error at character " + std::to_string(at_ + 1),
                      "expected " + expected,
                      R"(for example: status.conditions.#(type=="Succeeded")#|#(status=="True")#)");
  }

  const std::string& text_;
  size_t at_ = 0;
};

JsonQuery::JsonQuery(const std::string& text) : steps_(Parser(text).steps()) {}

std::optional<Json> JsonQuery::find(const Json& value) const {
  return find(value, steps_, 0);
}

bool JsonQuery::matches(const Json& value, const Step& step) {
  const std::optional<Json> left = find(value, step.left, 0);
  if (!left || step.comparison.empty()) return left.has_value();
  const bool are_alike = left->type() == step.right.type() || (left->is_number() && step.right.is_number());
  if (step.comparison == "==") return are_alike && *left == step.right;
  if (step.comparison == "!=") return !are_alike || *left != step.right;
  if (!are_alike) return false;
  if (step.comparison == "<=") return *left <= step.right;
  if (step.comparison == ">=") return *left >= step.right;
  return step.comparison == "<" ? *left < step.right : *left > step.right;
}

std::optional<Json> JsonQuery::find(const Json& value, const std::vector<Step>& steps, size_t at) {
  if (at == steps.size()) return value;
  const Step& step = steps[at];
  switch (step.kind) {
    case Step::Kind::self: return find(value, steps, at + 1);
    case Step::Kind::list_of_self: return find(Json::array({value}), steps, at + 1);
    case Step::Kind::key: {
      if (value.is_object()) {
        const auto member = value.find(step.key);
        return member == value.end() ? std::nullopt : find(*member, steps, at + 1);
      }
      const std::optional<int> index = whole_number(step.key);
      if (!value.is_array() || !index || *index < 0 || static_cast<size_t>(*index) >= value.size()) return {};
      return find(value[static_cast<size_t>(*index)], steps, at + 1);
    }
    case Step::Kind::first:
    case Step::Kind::every: break;
  }
  if (!value.is_array()) return {};
  Json found = Json::array();
  for (const Json& element : value) {
    if (!matches(element, step)) continue;
    if (step.kind == Step::Kind::first) return find(element, steps, at + 1);
    if (!step.for_each)
      found.push_back(element);
    else if (std::optional<Json> part = find(element, steps, at + 1))
      found.push_back(std::move(*part));
  }
  if (step.kind == Step::Kind::first) return {};
  return step.for_each ? found : find(found, steps, at + 1);
}

}  // namespace kml
