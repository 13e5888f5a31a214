#include "base/random.h"

#include <cmath>
#include <numbers>

namespace trainer {

void truncated_normal(uint64_t seed, uint64_t first_index, Real sigma, std::span<Real> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    double value = 3;
    for (uint32_t attempt = 0; std::fabs(value) > 2; ++attempt) {
      const auto words = draw(seed, Purpose::initial_weight, first_index + i, attempt);
      // The Box-Muller transform of two uniform numbers in (0, 1). Its second result is used if the first is
      // beyond the cut.
      const double radius = std::sqrt(-2 * std::log((words[0] + 0.5) * 0x1p-32));
      const double angle = 2 * std::numbers::pi * ((words[1] + 0.5) * 0x1p-32);
      value = radius * std::cos(angle);
      if (std::fabs(value) > 2) value = radius * std::sin(angle);
    }
    out[i] = static_cast<Real>(value * sigma);
  }
}

void dropout(uint64_t seed, uint64_t sample, Real keep, std::span<Real> values) {
  const uint32_t threshold = dropout_threshold(keep);
  const Real scale = 1 / keep;
  for (size_t start = 0; start < values.size(); start += kDropoutBlock) {
    const auto words = draw(seed, Purpose::dropout, sample, static_cast<uint32_t>(start / kDropoutBlock));
    const size_t count = std::min<size_t>(kDropoutBlock, values.size() - start);
    for (uint32_t i = 0; i < count; ++i) {
      values[start + i] *= dropout_bits(words, i) < threshold ? scale : Real{0};
    }
  }
}

}  // namespace trainer
