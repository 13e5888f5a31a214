#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kml {

/// A regular expression in RE2's syntax. Whatever the expression is, matching takes time in proportion to the
/// length of the text. Both the text and the expression are bytes. Matching is case-sensitive, except after
/// "(?i)" in the expression.
class Pattern {
 public:
  /// Throws usage Error if the expression is invalid.
  explicit Pattern(const std::string& expression);
  ~Pattern();
  Pattern(Pattern&&) noexcept;

  bool matches(std::string_view text) const { return find(text, 0).has_value(); }

  struct Span {
    size_t begin, end;
  };
  /// The first match that starts at `from` or later.
  std::optional<Span> find(std::string_view text, size_t from) const;

  /// The number of capturing groups.
  int groups() const;
  /// The first match at `from` or later, and its groups, as views of `text`. If a group is not part of the
  /// match, its data pointer is null. Empty if nothing matches.
  std::vector<std::string_view> find_groups(std::string_view text, size_t from) const;

 private:
  struct Expression;
  /// the expression if it has no special characters, because that can be searched faster
  std::string literal_;
  std::unique_ptr<Expression> expression_;
};

}  // namespace kml
