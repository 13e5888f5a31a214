#include "kml/base/sha256.h"

#include <algorithm>

#include "base/sha256_blocks.h"

namespace kml {

namespace {

void add_blocks(Sha256State& state, const char* blocks, size_t count) {
  static const auto add = has_sha_ni() ? add_blocks_by_sha_ni : add_blocks_portably;
  add(state, blocks, count);
}

}  // namespace

void Sha256::add(std::string_view bytes) {
  size_ += bytes.size();
  if (held_size_ > 0) {
    const size_t taken = std::min(bytes.size(), held_.size() - held_size_);
    std::copy_n(bytes.data(), taken, held_.data() + held_size_);
    held_size_ += taken;
    bytes.remove_prefix(taken);
    if (held_size_ < held_.size()) return;
    add_blocks(state_, held_.data(), 1);
  }
  const size_t blocks = bytes.size() / 64;
  add_blocks(state_, bytes.data(), blocks);
  bytes.remove_prefix(64 * blocks);
  std::copy_n(bytes.data(), bytes.size(), held_.data());
  held_size_ = bytes.size();
}

std::string Sha256::hex() const {
  std::string tail(held_.data(), held_size_);
  tail += '\x80';
  tail.resize(tail.size() <= 56 ? 56 : 120);
  for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>(size_ * 8 >> shift);
  Sha256State state = state_;
  add_blocks(state, tail.data(), tail.size() / 64);

  std::string text;
  for (uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 15];
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

}  // namespace kml
