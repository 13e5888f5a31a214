#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kml {

std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string_view trim(std::string_view text);
bool contains(std::string_view text, std::string_view part);
/// ASCII letters only.
std::string lower(std::string_view text);

/// The candidate with the smallest edit distance (Damerau-Levenshtein), if it is near enough to be a slip of
/// the hand: at most a third of the word's length, at least 1.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// "did you mean \"x\"?", or an empty string where nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// The words as one line that a POSIX shell splits back into the same words.
std::string shell_quoted(std::span<const std::string> words);

/// 5 lower-case letters and digits, from the alphabet that Kubernetes uses for generated names (no vowels).
std::string random_suffix();

/// `bytes` random bytes as lower-case hexadecimal, from the kernel's generator: fit for tokens.
std::string random_hex(size_t bytes);

std::string base64_encoded(std::string_view bytes);
/// Empty where the text is not base64. White space is skipped.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace kml
