#include "base/random.h"

#include <cmath>
#include <numbers>

namespace trainer {

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
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

std::array<uint32_t, 4> draw(uint64_t seed, Purpose purpose, uint64_t a, uint32_t b) {
  return philox({static_cast<uint32_t>(a), static_cast<uint32_t>(a >> 32), b, static_cast<uint32_t>(purpose)},
                {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
}

void truncated_normal(uint64_t seed, uint64_t first_index, Real sigma, std::span<Real> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    double value = 3;
    for (uint32_t attempt = 0; std::fabs(value) > 2; ++attempt) {
      const auto words = draw(seed, Purpose::initial_weight, first_index + i, attempt);
      // Box-Muller on two uniform numbers in (0, 1); its second value is a spare for when the first is cut
      // off.
      const double radius = std::sqrt(-2 * std::log((words[0] + 0.5) * 0x1p-32));
      const double angle = 2 * std::numbers::pi * ((words[1] + 0.5) * 0x1p-32);
      value = radius * std::cos(angle);
      if (std::fabs(value) > 2) value = radius * std::sin(angle);
    }
    out[i] = static_cast<Real>(value * sigma);
  }
}

void dropout(uint64_t seed, uint64_t sample, Real keep, std::span<Real> values) {
  const auto threshold = static_cast<uint32_t>(std::lround(keep * 0x1p16));
  const Real scale = 1 / keep;
  // One Philox block decides eight values, by 16 bits each.
  for (size_t start = 0; start < values.size(); start += 8) {
    const auto words = draw(seed, Purpose::dropout, sample, static_cast<uint32_t>(start / 8));
    const size_t count = std::min<size_t>(8, values.size() - start);
    for (size_t i = 0; i < count; ++i) {
      const uint32_t bits = words[i / 2] >> (i % 2 * 16) & 0xffff;
      values[start + i] *= bits < threshold ? scale : Real{0};
    }
  }
}

}  // namespace trainer
