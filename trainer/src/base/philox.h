#pragma once

#include <array>
#include <cmath>
#include <cstdint>

/// Random numbers without state. Each is a pure function of the seed, a purpose and counters, so a resumed
/// run, or another rank, draws exactly the same numbers as an uninterrupted run. All functions that draw are
/// constexpr, so that kernels on GPUs can also call them.
namespace trainer {

/// The generator Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
constexpr std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53} * counter[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(product0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// The use of a number. The values affect the meaning of every checkpoint, so never change them.
enum class Purpose : uint32_t { initial_weight = 1, shuffle = 2, dropout = 3, shift = 4 };

/// Four 32-bit words for (seed, purpose, a, b). `a` is a 64-bit index; `b`, less than 2^24, distinguishes the
/// draws for the same `a`.
constexpr std::array<uint32_t, 4> draw(uint64_t seed, Purpose purpose, uint64_t a, uint32_t b) {
  return philox({static_cast<uint32_t>(a), static_cast<uint32_t>(a >> 32), b, static_cast<uint32_t>(purpose)},
                {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
}

/// One Philox block decides about the dropout of eight values of an example, with 16 bits for each.
constexpr uint32_t kDropoutBlock = 8;
constexpr uint32_t dropout_bits(const std::array<uint32_t, 4>& words, uint32_t i) {
  return words[i / 2] >> (i % 2 * 16) & 0xffff;
}

/// Whether dropout keeps value `i` of an example; `threshold` is the probability times 2^16.
constexpr bool keeps(uint64_t seed, uint64_t sample, uint32_t i, uint32_t threshold) {
  const auto words = draw(seed, Purpose::dropout, sample, i / kDropoutBlock);
  return dropout_bits(words, i % kDropoutBlock) < threshold;
}

inline uint32_t dropout_threshold(double keep) {
  return static_cast<uint32_t>(std::lround(keep * 0x1p16));
}

}  // namespace trainer
