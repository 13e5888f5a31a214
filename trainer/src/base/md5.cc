#include "base/md5.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace trainer {

static_assert(std::endian::native == std::endian::little,
              "files and digests are read as little-endian words");

namespace {

constexpr int kShift[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

/// RFC 1321: T[i] is the integer part of 2^32 * |sin(i + 1)|.
const std::array<uint32_t, 64> kSine = [] {
  std::array<uint32_t, 64> table;
  for (int i = 0; i < 64; ++i)
    table[i] = static_cast<uint32_t>(std::floor(std::fabs(std::sin(i + 1.0)) * 0x1p32));
  return table;
}();

/// One of the four rounds of 16 operations; unrolled so that shifts and indices are constants.
template <int Round, typename Mix>
inline void round16(uint32_t (&s)[4], const uint32_t (&word)[16], Mix mix) {
  constexpr int kStep[4] = {1, 5, 3, 7}, kStart[4] = {0, 1, 5, 0};
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    uint32_t& a = s[(16 - i) % 4];
    const uint32_t b = s[(17 - i) % 4], c = s[(18 - i) % 4], d = s[(19 - i) % 4];
    const uint32_t sum =
        a + mix(b, c, d) + word[(kStart[Round] + kStep[Round] * i) % 16] + kSine[16 * Round + i];
    a = b + std::rotl(sum, kShift[Round][i % 4]);
  }
}

}  // namespace

void Md5::block(const uint8_t* bytes) {
  uint32_t word[16];
  std::memcpy(word, bytes, 64);
  uint32_t s[4];
  std::memcpy(s, state_, sizeof s);
  round16<0>(s, word, [](uint32_t b, uint32_t c, uint32_t d) { return d ^ (b & (c ^ d)); });
  round16<1>(s, word, [](uint32_t b, uint32_t c, uint32_t d) { return c ^ (d & (b ^ c)); });
  round16<2>(s, word, [](uint32_t b, uint32_t c, uint32_t d) { return b ^ c ^ d; });
  round16<3>(s, word, [](uint32_t b, uint32_t c, uint32_t d) { return c ^ (b | ~d); });
  for (int i = 0; i < 4; ++i) state_[i] += s[i];
}

void Md5::update(const void* data, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  while (size > 0) {
    const size_t filled = length_ % 64;
    if (filled == 0 && size >= 64) {
      block(bytes);
      bytes += 64, size -= 64, length_ += 64;
      continue;
    }
    const size_t taken = std::min(size, 64 - filled);
    std::memcpy(pending_ + filled, bytes, taken);
    bytes += taken, size -= taken, length_ += taken;
    if (length_ % 64 == 0) block(pending_);
  }
}

std::string Md5::hex() {
  const uint64_t bits = length_ * 8;
  const uint8_t padding[64] = {0x80};
  update(padding, 1 + (119 - length_ % 64) % 64);
  update(&bits, 8);
  std::string text;
  for (uint32_t word : state_) {
    for (int byte = 0; byte < 4; ++byte, word >>= 8) {
      text += "0123456789abcdef"[word >> 4 & 15];
      text += "0123456789abcdef"[word & 15];
    }
  }
  return text;
}

std::string md5_hex(const void* data, size_t size) {
  Md5 md5;
  md5.update(data, size);
  return md5.hex();
}

}  // namespace trainer
