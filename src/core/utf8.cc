#include "kml/core/utf8.h"

#include <algorithm>
#include <iterator>

namespace kml {

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

size_t columns_of(char32_t character) {
  struct Block {
    char32_t first, last;
  };
  constexpr Block kMarks[] = {{0x300, 0x36F},   {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},
                              {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
  constexpr Block kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
                             {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                             {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}};
  const auto is_there = [character](const Block& block) {
    return block.first <= character && character <= block.last;
  };
  if (std::any_of(std::begin(kMarks), std::end(kMarks), is_there)) return 0;
  return std::any_of(std::begin(kWide), std::end(kWide), is_there) ? 2 : 1;
}

}  // namespace kml
