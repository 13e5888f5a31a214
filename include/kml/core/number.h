#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace kml {

/// The number that a text is, digits and nothing else; empty for any other text, and where it is too large.
inline std::optional<int> whole_number(std::string_view text) {
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return {};
  int number = 0;
  const bool fits = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
  return fits ? std::optional(number) : std::nullopt;
}

}  // namespace kml
