#include <algorithm>
#include <cstdint>

#include "kml/core/text.h"

namespace kml {

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

}  // namespace kml
