#include "kml/base/pattern.h"

#include <re2/re2.h>

#include "kml/base/error.h"

namespace kml {

struct Pattern::Expression {
  explicit Expression(const std::string& text) : re(text, options()) {}

  static RE2::Options options() {
    RE2::Options options(RE2::Latin1);  // logs may contain any bytes
    options.set_log_errors(false);
    return options;
  }

  RE2 re;
};

Pattern::Pattern(const std::string& expression) {
  if (!expression.empty() && expression.find_first_of("\\^$.|?*+()[]{}") == std::string::npos) {
    literal_ = expression;
    return;
  }
  expression_ = std::make_unique<Expression>(expression);
  if (!expression_->re.ok())
    throw usage_error("\"" + expression + "\" is not a regular expression", expression_->re.error());
}

Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;

std::optional<Pattern::Span> Pattern::find(std::string_view text, size_t from) const {
  if (!expression_) {
    const size_t at = text.find(literal_, from);
    return at == std::string_view::npos ? std::nullopt : std::optional(Span{at, at + literal_.size()});
  }
  re2::StringPiece match;
  if (!expression_->re.Match({text.data(), text.size()}, from, text.size(), RE2::UNANCHORED, &match, 1))
    return {};
  const auto begin = static_cast<size_t>(match.data() - text.data());
  return Span{begin, begin + match.size()};
}

int Pattern::groups() const {
  return expression_ ? expression_->re.NumberOfCapturingGroups() : 0;
}

std::vector<std::string_view> Pattern::find_groups(std::string_view text, size_t from) const {
  std::vector<std::string_view> found;
  if (!expression_) {
    if (const std::optional<Span> all = find(text, from))
      found.push_back(text.substr(all->begin, all->end - all->begin));
    return found;
  }
  std::vector<re2::StringPiece> parts(static_cast<size_t>(groups()) + 1);
  if (expression_->re.Match({text.data(), text.size()}, from, text.size(), RE2::UNANCHORED, parts.data(),
                            static_cast<int>(parts.size())))
    for (const re2::StringPiece& part : parts) found.emplace_back(part.data(), part.size());
  return found;
}

}  // namespace kml
