#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace kml {

struct CodePoint {
  char32_t value;
  size_t bytes;
};

/// The first character of a text; empty where the text is empty, or does not begin with well-formed UTF-8
/// (overlong forms, surrogates and values past U+10FFFF are not).
std::optional<CodePoint> first_code_point(std::string_view text);

bool is_utf8(std::string_view text);

/// Columns that a terminal shows a character in: 2 for those of East Asian scripts and emoji, 0 for marks
/// that go onto the character before and for control characters (utf8proc, of Unicode 14).
size_t columns_of(char32_t character);

}  // namespace kml
