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
/// The first texts, and how many others follow: "gpu-1, gpu-2, gpu-3 and 2 more".
std::string some_of(std::span<const std::string> texts, size_t most = 3);
std::string_view trim(std::string_view text);
bool contains(std::string_view text, std::string_view part);
/// Converts ASCII letters to lower case; leaves others unchanged.
std::string lower(std::string_view text);
/// The same to upper case.
std::string upper(std::string_view text);
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The candidate with the smallest edit distance (Damerau-Levenshtein), if it could be a typo: the distance
/// is at most a third of the word's length, or 1 for short words.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// "did you mean \"x\"?", or an empty string if no candidate is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// "21 B", "12 KiB", "3 MiB", "1.5 GiB": a size that is easy to read. KiB are rounded up, MiB and GiB down.
std::string size_text(std::uintmax_t bytes);

/// The words as one line that a POSIX shell splits back into the same words.
std::string shell_quoted(std::span<const std::string> words);

/// 5 random lower-case letters and digits, without vowels, as in Kubernetes' generated names.
std::string random_suffix();

/// `bytes` random bytes as lower-case hexadecimal, from the kernel's generator: safe for tokens.
std::string random_hex(size_t bytes);

/// Replaces everything except letters, digits and "-._~" by %XX (RFC 3986), for use in a path segment or a
/// query value. Also replaces "/", unless `keeps_slashes` is set.
std::string percent_encoded(std::string_view text, bool keeps_slashes = false);

std::string base64_encoded(std::string_view bytes);
/// Decodes base64, skipping white space. Empty if the text is not base64.
std::optional<std::string> base64_decoded(std::string_view text);

/// Parses a text of digits only. Empty for any other text, or if the number is too large.
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

/// The first character of a text. Empty if the text is empty or does not start with valid UTF-8; overlong
/// forms, surrogates and values above U+10FFFF are invalid.
std::optional<CodePoint> first_code_point(std::string_view text);

bool is_utf8(std::string_view text);
/// Converts a text in UTF-16 with a byte order mark, as PowerShell writes it, to UTF-8; empty for another
/// text. Invalid characters become U+FFFD.
std::optional<std::string> from_utf16(std::string_view text);

/// The columns that a character takes on a terminal: 2 for East Asian wide characters and emoji, 0 for
/// combining marks and control characters (utf8proc, Unicode 14).
size_t columns_of(char32_t character);

/// Natural order of names: numbers in them compare by value, so "gpu-9" comes before "gpu-10", and "gpu-10"
/// before "node1".
bool natural_less(std::string_view a, std::string_view b);

}  // namespace kml
