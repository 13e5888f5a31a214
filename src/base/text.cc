#include "kml/base/text.h"

#include <sys/random.h>
#include <utf8proc.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kml/base/error.h"

namespace kml {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(separator, begin)) != std::string_view::npos; begin = end + 1)
    parts.emplace_back(text.substr(begin, end - begin));
  parts.emplace_back(text.substr(begin));
  return parts;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != parts.data()) text += separator;
    text += part;
  }
  return text;
}

std::string some_of(std::span<const std::string> texts, size_t most) {
  const size_t shown = std::min(most, texts.size()), left = texts.size() - shown;
  return join(texts.first(shown), ", ") + (left > 0 ? " and " + std::to_string(left) + " more" : "");
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\n\v\f";
  size_t begin = text.find_first_not_of(kWhite);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhite) - begin + 1);
}

bool contains(std::string_view text, std::string_view part) {
  // On long texts, memmem() is much faster than find().
  return part.empty() || ::memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

namespace {

/// The optimal string alignment distance: an insertion, a deletion, a replacement or a swap of neighbors
/// costs 1.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  return cost[a.size()][b.size()];
}

/// The candidate that starts with the word: "memory" for "mem". If there are several, the one in which the
/// word is complete: "time-limit" for "time", rather than "timeout".
std::optional<std::string> begun_by(std::string_view word, std::span<const std::string> candidates) {
  std::vector<std::string> begun, complete;
  for (const std::string& candidate : candidates) {
    if (!candidate.starts_with(word) || candidate.size() == word.size()) continue;
    begun.push_back(candidate);
    if (contains("-_./ ", candidate.substr(word.size(), 1))) complete.push_back(candidate);
  }
  const std::vector<std::string>& meant = begun.size() == 1 ? begun : complete;
  return meant.size() == 1 ? std::optional(meant[0]) : std::nullopt;
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  constexpr size_t kLongestWord = 256;
  if (word.size() > kLongestWord) return {};
  // Of two candidates at the same distance, prefers the one that the word starts with: for "cpus", "cpu"
  // rather than "gpus".
  using Rank = std::pair<size_t, bool>;
  constexpr Rank kOneError = {1, true};
  Rank best = {std::max<size_t>(1, word.size() / 3) + 1, false};
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const Rank rank = {edit_distance(word, candidate), !word.starts_with(candidate)};
    if (rank < best && rank.first < word.size()) best = rank, found = candidate;
  }
  if (word.size() < 2 || (found && best <= kOneError)) return found;
  const std::optional<std::string> begun = begun_by(word, candidates);
  return begun ? begun : found;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  auto found = nearest(word, candidates);
  return found ? "did you mean \"" + *found + "\"?" : "";
}

std::string size_text(std::uintmax_t bytes) {
  constexpr std::uintmax_t kKib = 1024, kMib = kKib * kKib, kGib = kKib * kMib;
  if (bytes < kKib) return std::to_string(bytes) + " B";
  if (bytes < kMib) return std::to_string((bytes + kKib - 1) / kKib) + " KiB";
  if (bytes < kGib) return std::to_string(bytes / kMib) + " MiB";
  const std::uintmax_t tenths = bytes / (kGib / 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GiB";
}

std::string shell_quoted(std::span<const std::string> words) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::optional<CodePoint> first_code_point(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return CodePoint{byte(0), 1};

  const size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < bytes) return {};
  char32_t value = byte(0) & (0xFFU >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[bytes] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return {};
  return CodePoint{value, bytes};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    auto character = first_code_point(text);
    if (!character) return false;
    text.remove_prefix(character->bytes);
  }
  return true;
}

std::optional<std::string> from_utf16(std::string_view text) {
  const bool is_little = text.starts_with("\xFF\xFE");
  if (!is_little && !text.starts_with("\xFE\xFF")) return {};
  const auto unit = [&](size_t at) -> utf8proc_int32_t {
    if (at + 1 >= text.size()) return 0;
    const auto first = static_cast<unsigned char>(text[at]),
               second = static_cast<unsigned char>(text[at + 1]);
    return is_little ? second << 8 | first : first << 8 | second;
  };
  const auto is_in = [](utf8proc_int32_t value, utf8proc_int32_t begin) {
    return value >= begin && value < begin + 0x400;
  };
  constexpr utf8proc_int32_t kHigh = 0xD800, kLow = 0xDC00, kReplacement = 0xFFFD;
  std::string utf8;
  for (size_t at = 2; at < text.size(); at += 2) {
    utf8proc_int32_t character = unit(at);
    if (is_in(character, kHigh) && is_in(unit(at + 2), kLow)) {
      character = 0x10000 + ((character - kHigh) << 10) + (unit(at + 2) - kLow);
      at += 2;
    } else if (is_in(character, kHigh) || is_in(character, kLow)) {
      character = kReplacement;
    }
    utf8proc_uint8_t bytes[4];
    const auto length = static_cast<size_t>(utf8proc_encode_char(character, bytes));
    utf8.append(reinterpret_cast<const char*>(bytes), length);
  }
  return utf8;
}

size_t columns_of(char32_t character) {
  return static_cast<size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(character)));
}

namespace {

bool begins_with_digit(std::string_view text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

/// Reads a run of digits from the front of the text and removes it. Returns the digits without leading zeros.
std::string_view take_number(std::string_view& text) {
  std::string_view number = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(number.size());
  while (number.size() > 1 && number[0] == '0') number.remove_prefix(1);
  return number;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view left = a, right = b;
  while (!left.empty() && !right.empty()) {
    if (begins_with_digit(left) && begins_with_digit(right)) {
      const std::string_view number = take_number(left), other = take_number(right);
      if (number != other)
        return number.size() != other.size() ? number.size() < other.size() : number < other;
    } else {
      if (left[0] != right[0]) return left.substr(0, 1) < right.substr(0, 1);
      left.remove_prefix(1);
      right.remove_prefix(1);
    }
  }
  return left.empty() != right.empty() ? left.empty() : a < b;
}

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64_encoded(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    size_t taken = std::min<size_t>(3, bytes.size() - i);
    for (size_t j = 0; j < 3; ++j)
      group = group << 8 | (j < taken ? static_cast<unsigned char>(bytes[i + j]) : 0);
    for (size_t j = 0; j < 4; ++j) text += j <= taken ? kDigits[group >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

std::optional<std::string> base64_decoded(std::string_view text) {
  std::string bytes;
  uint32_t group = 0;
  size_t digits = 0, padding = 0;
  for (char c : text) {
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    size_t value = kDigits.find(c);
    if (value == std::string_view::npos || padding > 0) return {};
    group = group << 6 | static_cast<uint32_t>(value);
    if (++digits % 4 == 0) {
      for (int shift : {16, 8, 0}) bytes += static_cast<char>(group >> shift & 255);
      group = 0;
    }
  }
  if ((digits + padding) % 4 != 0 || padding > 2) return {};
  if (digits % 4 == 3)
    bytes += static_cast<char>(group >> 10 & 255), bytes += static_cast<char>(group >> 2 & 255);
  if (digits % 4 == 2) bytes += static_cast<char>(group >> 4 & 255);
  return bytes;
}

namespace {

void fill_random(unsigned char* bytes, size_t count) {
  constexpr size_t kMost = 256;  // getentropy(3) returns at most this many bytes
  for (size_t done = 0; done < count; done += kMost)
    if (::getentropy(bytes + done, std::min(kMost, count - done)) != 0)
      throw system_error("cannot get random bytes from the kernel", errno);
}

}  // namespace

std::string random_suffix() {
  // The alphabet of k8s.io/apimachinery/pkg/util/rand.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  unsigned char bytes[5];
  fill_random(bytes, sizeof bytes);
  std::string text;
  for (unsigned char byte : bytes) text += kAlphabet[byte % kAlphabet.size()];
  return text;
}

std::string percent_encoded(std::string_view text, bool keeps_slashes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          std::string_view("-._~").find(c) != std::string_view::npos;
    if (is_plain || (c == '/' && keeps_slashes))
      encoded += c;
    else
      encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return encoded;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const std::string_view digits = text[i] == '%' ? text.substr(i + 1, 2) : std::string_view();
    const char* end = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16).ptr;
    const bool is_code = digits.size() == 2 && end == digits.data() + 2;
    decoded += is_code ? static_cast<char>(byte) : text[i];
    i += is_code ? 2 : 0;
  }
  return decoded;
}

std::string random_hex(size_t count) {
  std::string bytes(count, '\0');
  fill_random(reinterpret_cast<unsigned char*>(bytes.data()), count);
  std::string text;
  for (unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace kml
