#include <cctype>
#include <charconv>
#include <regex>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "ui/json_template.h"

namespace kml::ui {

namespace {

using Node = JsonTemplate::Node;
using Kind = JsonTemplate::Node::Kind;

/// Works step by step like the parser in client-go, so that both accept the same texts.
class TemplateParser {
 public:
  explicit TemplateParser(std::string_view text) : text_(text) {}

  std::vector<Node> parse() {
    std::vector<Node> nodes;
    while (at_ < text_.size()) {
      const size_t brace = std::min(text_.find('{', at_), text_.size());
      if (brace > at_) nodes.push_back({Kind::text, std::string(text_.substr(at_, brace - at_))});
      if ((at_ = brace) == text_.size()) break;
      ++at_;
      Node list{Kind::list};
      inside(list);
      nodes.push_back(std::move(list));
    }
    return nodes;
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    throw usage_error("\"" + std::string(text_) + "\" is not a JSONPath template: " + what, "",
                      "write it as {.items[*].metadata.name}");
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool has(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

  void inside(Node& list) {
    for (;;) {
      const char c = peek();
      if (c == '\0' || c == '\n') wrong("a brace is not closed");
      if (c == '}') {
        ++at_;
        return;
      }
      if (has("[?("))
        filter(list);
      else if (has(".."))
        recursive(list);
      else if (c == ' ' || c == '@' || c == '$')  // "@" and "$" stand for the current object
        ++at_;
      else if (c == '[')
        array(list);
      else if (c == '"' || c == '\'')
        quoted(list, c);
      else if (c == '.')
        ++at_, field(list);
      else if (c == '+' || c == '-' || std::isdigit(static_cast<unsigned char>(c)))
        number(list);
      else if (is_word(c))
        word(list);
      else
        wrong("\"" + std::string(1, c) + "\" is unexpected");
    }
  }

  void field(Node& list) {
    constexpr std::string_view kEnds = ".,[]$@{} \t\r\n";
    std::string name;
    while (at_ < text_.size() && kEnds.find(text_[at_]) == std::string_view::npos) {
      if (text_[at_] == '\\' && ++at_ == text_.size()) break;
      name += text_[at_++];
    }
    if (name == "*")
      list.nodes.push_back({Kind::wildcard});
    else
      list.nodes.push_back({Kind::field, std::move(name)});
  }

  void recursive(Node& list) {
    if (!list.nodes.empty() && list.nodes.back().kind == Kind::recursive) wrong("\"..\" follows \"..\"");
    at_ += 2;
    list.nodes.push_back({Kind::recursive});
    if (is_word(peek())) field(list);
  }

  void word(Node& list) {
    const size_t begin = at_;
    while (is_word(peek())) ++at_;
    std::string name(text_.substr(begin, at_ - begin));
    if (name == "true" || name == "false")
      list.nodes.push_back({Kind::number, "", name == "true"});
    else
      list.nodes.push_back({Kind::word, std::move(name)});
  }

  void number(Node& list) {
    const size_t begin = peek() == '+' ? ++at_ : at_;
    if (peek() == '-') ++at_;
    while (peek() == '.' || std::isdigit(static_cast<unsigned char>(peek()))) ++at_;
    const std::string_view digits = text_.substr(begin, at_ - begin);
    const char* end = digits.data() + digits.size();
    long long whole = 0;
    double real = 0;
    if (const auto [rest, failed] = std::from_chars(digits.data(), end, whole);
        failed == std::errc() && rest == end)
      list.nodes.push_back({Kind::number, "", whole});
    else if (const auto [rest2, failed2] = std::from_chars(digits.data(), end, real);
             failed2 == std::errc() && rest2 == end)
      list.nodes.push_back({Kind::number, "", real});
    else
      wrong("\"" + std::string(digits) + "\" is not a number");
  }

  void quoted(Node& list, char quote) {
    std::string text;
    for (++at_;; ++at_) {
      const char c = peek();
      if (c == '\0' || c == '\n') wrong("a quote is not closed");
      if (c == quote) break;
      if (c != '\\') {
        text += c;
        continue;
      }
      ++at_;
      text += unescaped(peek());
    }
    ++at_;
    list.nodes.push_back({Kind::text, std::move(text)});
  }

  char unescaped(char c) const {
    switch (c) {
      case 'n': return '\n';
      case 't': return '\t';
      case 'r': return '\r';
      case 'a': return '\a';
      case 'b': return '\b';
      case 'f': return '\f';
      case 'v': return '\v';
      case '\\':
      case '\'':
      case '"': return c;
      default: wrong("\"\\" + std::string(1, c) + "\" is not an escape");
    }
  }

  void array(Node& list) {
    const size_t close = text_.find_first_of("]\n", at_);
    if (close == std::string_view::npos || text_[close] == '\n') wrong("a bracket is not closed");
    std::string inner(text_.substr(at_ + 1, close - at_ - 1));
    at_ = close + 1;
    if (inner == "*") inner = ":";
    if (const std::vector<std::string> parts = split(inner, ','); parts.size() > 1) {
      Node alternatives{Kind::alternatives};
      for (const std::string& part : parts)
        alternatives.nodes.push_back(expression("[" + std::string(trim(part)) + "]"));
      list.nodes.push_back(std::move(alternatives));
    } else if (inner.size() >= 2 && inner.front() == '\'' && inner.find('\'', 1) == inner.size() - 1) {
      for (Node& step : expression("." + inner.substr(1, inner.size() - 2)).nodes)
        list.nodes.push_back(std::move(step));
    } else {
      list.nodes.push_back(slice(inner));
    }
  }

  Node slice(const std::string& inner) const {
    static const std::regex pattern("^(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?$");
    std::smatch found;
    if (!std::regex_match(inner, found, pattern)) wrong("\"" + inner + "\" is not an array index");
    Node slice{Kind::array};
    for (size_t i = 0; i < 3; ++i) {
      Node::Bound& bound = slice.bounds[i];
      const bool is_given = found[i + 1].length() > 0;
      const std::string digits = found[i + 1].str().substr(is_given && i > 0 ? 1 : 0);
      if (!digits.empty()) {
        bound.is_known = true;
        const char* end = digits.data() + digits.size();
        if (std::from_chars(digits.data(), end, bound.value).ec != std::errc())
          wrong("\"" + digits + "\" is not an array index");
      } else if (i == 1 && !is_given) {
        bound = {slice.bounds[0].value + 1, true, true};
      }
    }
    return slice;
  }

  void filter(Node& list) {
    const size_t begin = at_ + 3;
    char quote = '\0';
    bool is_closed = false;
    size_t end = begin;
    for (;; ++end) {
      const char c = end < text_.size() ? text_[end] : '\n';
      if (c == '\n') wrong("a filter is not closed");
      if ((c == '"' || c == '\'') && quote == '\0')
        quote = c;
      else if (c == quote && quote != '\0' && text_[end - 1] != '\\')
        is_closed = true;
      else if (c == ')' && (quote == '\0' || is_closed))
        break;
    }
    if (!text_.substr(end + 1).starts_with("]")) wrong("\"]\" is missing after a filter");
    at_ = end + 2;
    list.nodes.push_back(comparison(std::string(text_.substr(begin, end - begin))));
  }

  static Node comparison(const std::string& text) {
    constexpr std::string_view kOperators = "!<>=";
    const size_t begin = text.find_first_of(kOperators);
    const size_t end = begin == std::string::npos ? begin : text.find_first_not_of(kOperators, begin);
    Node filter{Kind::filter, "exists"};
    if (begin == 0 || end == std::string::npos) {
      filter.nodes.push_back(expression(text));
      return filter;
    }
    filter.text = text.substr(begin, end - begin);
    filter.nodes.push_back(expression(text.substr(0, begin)));
    filter.nodes.push_back(expression(text.substr(end)));
    return filter;
  }

  static Node expression(const std::string& text) {
    const std::string whole = "{" + text + "}";
    std::vector<Node> nodes = TemplateParser(whole).parse();
    return std::move(nodes[0]);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::vector<JsonTemplate::Node> parse_json_template(std::string_view text) {
  return TemplateParser(text).parse();
}

}  // namespace kml::ui
