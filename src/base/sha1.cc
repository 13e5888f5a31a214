#include "kml/base/sha1.h"

#include <array>
#include <bit>
#include <cstdint>

namespace kml {

std::string sha1(std::string_view bytes) {
  std::string text(bytes);
  text += '\x80';
  while (text.size() % 64 != 56) text += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(uint64_t{bytes.size()} * 8 >> shift);

  std::array<uint32_t, 5> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  for (size_t block = 0; block < text.size(); block += 64) {
    std::array<uint32_t, 80> words{};
    for (size_t i = 0; i < 64; ++i)
      words[i / 4] = words[i / 4] << 8 | static_cast<unsigned char>(text[block + i]);
    for (size_t i = 16; i < 80; ++i)
      words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    auto [a, b, c, d, e] = state;
    for (size_t i = 0; i < 80; ++i) {
      const uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5a827999
                             : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                             : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
                                      : (b ^ c ^ d) + 0xca62c1d6;
      const uint32_t next = std::rotl(a, 5) + mixed + e + words[i];
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
    const std::array<uint32_t, 5> change = {a, b, c, d, e};
    for (size_t i = 0; i < state.size(); ++i) state[i] += change[i];
  }

  std::string digest;
  for (uint32_t word : state)
    for (int shift = 24; shift >= 0; shift -= 8) digest += static_cast<char>(word >> shift);
  return digest;
}

}  // namespace kml
