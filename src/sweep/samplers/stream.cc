#include "sweep/samplers/stream.h"

#include <algorithm>

#include "sweep/space/normal.h"

namespace kml::sweep {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
        static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return counter;
}

std::uint64_t mixed(std::uint64_t word) {
  word += 0x9E3779B97F4A7C15;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
  return word ^ (word >> 31);
}

Stream::Stream(std::uint64_t seed, std::uint64_t trial, Purpose purpose)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, static_cast<std::uint32_t>(purpose), static_cast<std::uint32_t>(trial),
               static_cast<std::uint32_t>(trial >> 32)} {}

std::uint64_t Stream::next() {
  if (used_ >= 4) {
    block_ = philox(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  const std::uint64_t word = block_[used_] | std::uint64_t{block_[used_ + 1]} << 32;
  used_ += 2;
  return word;
}

double unit_of(std::uint64_t word) {
  constexpr double kBelowOne = 1 - 0x1p-53;  // the greatest sum would round to 1
  return std::min((static_cast<double>(word >> 11) + 0.5) * 0x1p-53, kBelowOne);
}

double Stream::uniform() {
  return unit_of(next());
}

double Stream::normal() {
  return normal_quantile(uniform());
}

std::uint64_t Stream::index(std::uint64_t count) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * count) >> 64);
}

}  // namespace kml::sweep
