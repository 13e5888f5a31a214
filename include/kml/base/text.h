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
/// The first texts, and how many more there are: "gpu-1, gpu-2, gpu-3 and 2 more".
std::string some_of(std::span<const std::string> texts, size_t most = 3);
std::string_view trim(std::string_view text);
bool contains(std::string_view text, std::string_view part);
/// Converts ASCII letters to lower case; other characters are unchanged.
std::string lower(std::string_view text);
/// Converts ASCII letters to upper case; other characters are unchanged.
std::string upper(std::string_view text);
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The candidate with the smallest edit distance (Damerau-Levenshtein) to the word, if the word could be a
/// misspelling of it: the distance is at most a third of the word's length, or 1 for short words. If there is
/// none at a distance of 1, prefers a candidate that starts with the word if it is the only one, or the only
/// one in which the word is complete: "memory" for "mem", "time-limit" for "time".
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// "did you mean \"x\"?"; empty if no candidate is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// A size that is easy to read: "21 B", "12 KiB", "3 MiB", "1.5 GiB". Rounds KiB up, and MiB and GiB down.
std::string size_text(std::uintmax_t bytes);

/// The words as a line that a POSIX shell splits into the same words.
std::string shell_quoted(std::span<const std::string> words);

/// Five random lower-case letters and digits, without vowels, as in names that Kubernetes generates.
std::string random_suffix();

/// `bytes` random bytes in lower-case hexadecimal. They come from the kernel's generator, so they are safe
/// for tokens.
std::string random_hex(size_t bytes);

/// Replaces all characters except letters, digits and "-._~" by %XX (RFC 3986), for use in a path segment or
/// a query value. "/" is replaced, too, unless `keeps_slashes` is set.
std::string percent_encoded(std::string_view text, bool keeps_slashes = false);
/// Decodes %XX. Keeps a "%" that is not followed by two hexadecimal digits.
std::string percent_decoded(std::string_view text);

std::string base64_encoded(std::string_view bytes);
/// Decodes base64, ignoring white space. Empty if the text is not base64.
std::optional<std::string> base64_decoded(std::string_view text);

/// Parses a text that only has digits. Empty for any other text, or if the number is too large.
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

/// The first character of a text. Empty if there is none, or if the text does not start with valid UTF-8.
/// Overlong forms, surrogates and values above U+10FFFF are invalid.
std::optional<CodePoint> first_code_point(std::string_view text);

bool is_utf8(std::string_view text);
/// If a text is UTF-16 with a byte order mark, as PowerShell writes, converts it to UTF-8; otherwise empty.
/// Replaces invalid characters by U+FFFD.
std::optional<std::string> from_utf16(std::string_view text);

/// How many columns a character takes on a terminal: 2 for East Asian wide characters and emoji, 0 for
/// combining marks and control characters (as in utf8proc).
size_t columns_of(char32_t character);

/// The natural order of names, in which numbers are compared by value: "gpu-9" comes before "gpu-10", and
/// "gpu-10" before "node1".
bool natural_less(std::string_view a, std::string_view b);

}  // namespace kml
