#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kml {

/// A regular expression in RE2's syntax, which takes time in proportion to the text whatever the expression.
/// Text and expression are bytes; case counts unless the expression begins with "(?i)".
class Pattern {
 public:
  /// Throws usage Error if that is not a regular expression.
  explicit Pattern(const std::string& expression);
  ~Pattern();
  Pattern(Pattern&&) noexcept;

  bool matches(std::string_view text) const { return find(text, 0).has_value(); }

  struct Span {
    size_t begin, end;
  };
  /// The first match at `from` or later.
  std::optional<Span> find(std::string_view text, size_t from) const;

  /// How many groups in brackets it has.
  int groups() const;
  /// That match and its groups, as views of `text`; one that took no part has no data. Empty if nothing
  /// matches.
  std::vector<std::string_view> find_groups(std::string_view text, size_t from) const;

 private:
  struct Expression;
  std::string literal_;  ///< all of an expression without special characters, which is searched for faster
  std::unique_ptr<Expression> expression_;
};

}  // namespace kml
