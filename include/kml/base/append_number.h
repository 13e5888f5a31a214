#pragma once

#include <array>
#include <charconv>
#include <string>

namespace kml {

/// Appends an integer, or the shortest decimal form of a double from which the same double can be read back.
/// Does not depend on the locale.
template <typename Number>
void append_number(std::string& text, Number number) {
  std::array<char, 32> digits;
  const auto [end, failure] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  text.append(digits.data(), end);
}

}  // namespace kml
