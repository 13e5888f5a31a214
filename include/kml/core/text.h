#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kml {

std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
/// "gpu-1, gpu-2, gpu-3 and 2 more": the first ones, and how many others there are.
std::string some_of(std::span<const std::string> texts, size_t most = 3);
std::string_view trim(std::string_view text);
bool contains(std::string_view text, std::string_view part);
/// ASCII letters only.
std::string lower(std::string_view text);
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The candidate with the smallest edit distance (Damerau-Levenshtein), if it is near enough to be a slip of
/// the hand: at most a third of the word's length, at least 1.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// "did you mean \"x\"?", or an empty string where nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// "12 KiB", "3 MiB", as people tell sizes: rounded up below a MiB.
std::string size_text(std::uintmax_t bytes);

/// The words as one line that a POSIX shell splits back into the same words.
std::string shell_quoted(std::span<const std::string> words);

/// 5 lower-case letters and digits, from the alphabet that Kubernetes uses for generated names (no vowels).
std::string random_suffix();

/// `bytes` random bytes as lower-case hexadecimal, from the kernel's generator: fit for tokens.
std::string random_hex(size_t bytes);

std::string base64_encoded(std::string_view bytes);
/// Empty if the text is not base64. White space is skipped.
std::optional<std::string> base64_decoded(std::string_view text);

/// The number that a text is, digits and nothing else; empty for any other text, and where it is too large.
inline std::optional<int> whole_number(std::string_view text) {
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return {};
  int number = 0;
  const bool fits = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
  return fits ? std::optional(number) : std::nullopt;
}

struct CodePoint {
  char32_t value;
  size_t bytes;
};

/// The first character of a text; empty if the text is empty, or does not begin with well-formed UTF-8
/// (overlong forms, surrogates and values past U+10FFFF are not).
std::optional<CodePoint> first_code_point(std::string_view text);

bool is_utf8(std::string_view text);

/// Columns that a terminal shows a character in: 2 for those of East Asian scripts and emoji, 0 for marks
/// that go onto the character before and for control characters (utf8proc, of Unicode 14).
size_t columns_of(char32_t character);

/// As a person sorts names: numbers in them by their value, "gpu-9" before "gpu-10", and "gpu-10" before
/// "node1".
bool natural_less(std::string_view a, std::string_view b);

}  // namespace kml
