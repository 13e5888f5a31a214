#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kml {

/// A regular expression in RE2's syntax. For any expression, the matching time is linear in the length of the
/// text. Text and expression are bytes. Matching is case-sensitive unless the expression starts with "(?i)".
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
  /// The first match at `from` or later and its groups, as views of `text`. A group that is not part of the
  /// match has a null data pointer. Empty if nothing matches.
  std::vector<std::string_view> find_groups(std::string_view text, size_t from) const;

 private:
  struct Expression;
  std::string literal_;  ///< the expression if it has no special characters; faster to search for
  std::unique_ptr<Expression> expression_;
};

}  // namespace kml
