#include "base/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

using namespace trainer;

namespace {

/// Whether the correlation of two series of equal length is within four standard errors of 0.
bool uncorrelated(std::span<const Real> a, std::span<const Real> b) {
  const auto n = static_cast<double>(a.size());
  double sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    sum_a += x, sum_b += y, aa += x * x, bb += y * y, ab += x * y;
  }
  const double covariance = ab - sum_a * sum_b / n;
  return covariance * covariance < 16 / n * (aa - sum_a * sum_a / n) * (bb - sum_b * sum_b / n);
}

}  // namespace

TEST_CASE("random: philox gives the published values") {
  // From Random123's kat_vectors, philox4x32 10.
  using Words = std::array<uint32_t, 4>;
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr uint32_t kOnes = 0xffffffff;
  CHECK(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("random: a draw depends on seed, purpose, index and attempt") {
  const auto base = draw(1, Purpose::shuffle, 2, 3);
  CHECK(base == draw(1, Purpose::shuffle, 2, 3));
  CHECK(base != draw(uint64_t{1} << 32 | 1, Purpose::shuffle, 2, 3));
  CHECK(base != draw(1, Purpose::dropout, 2, 3));
  CHECK(base != draw(1, Purpose::shuffle, uint64_t{1} << 32 | 2, 3));
  CHECK(base != draw(1, Purpose::shuffle, 2, 4));
}

TEST_CASE("random: values of the truncated normal have its distribution and are independent") {
  constexpr size_t kCount = 392'000;  // the number of the demo's hidden weights
  std::vector<Real> values(kCount), others(kCount);
  truncated_normal(7, 0, 0.1f, values);
  truncated_normal(8, 0, 0.1f, others);
  double sum = 0, squares = 0, fourth = 0, within_one = 0;
  size_t beyond_two = 0;
  for (Real drawn : values) {
    const double value = drawn / 0.1;
    beyond_two += std::fabs(value) > 2.000001;
    within_one += std::fabs(value) < 1;
    sum += value;
    squares += value * value;
    fourth += std::pow(value, 4);
  }
  CHECK(beyond_two == 0);
  // A standard normal distribution truncated at 2 has the variance 0.7737, the fourth moment 1.4162, and
  // 71.52 % of its values between -1 and 1. The tolerances are four standard errors.
  CHECK(std::fabs(sum / kCount) < 0.0056);
  CHECK(std::fabs(squares / kCount - 0.7737) < 0.0058);
  CHECK(std::fabs(fourth / kCount - 1.4162) < 0.018);
  CHECK(std::fabs(within_one / kCount - 0.7152) < 0.0029);

  CHECK(uncorrelated(values, others));
  for (size_t distance : {1, 4, 500, 784}) {
    CHECK(uncorrelated(std::span(values).subspan(distance), std::span(values).first(kCount - distance)));
  }
}

TEST_CASE("random: weights drawn in pieces equal those drawn at once") {
  std::vector<Real> whole(100), part(40);
  truncated_normal(7, 0, 1, whole);
  truncated_normal(7, 60, 1, part);
  CHECK(std::equal(part.begin(), part.end(), whole.begin() + 60));
}

TEST_CASE("random: dropout keeps the right share of each unit and each sample, and scales it") {
  constexpr size_t kSamples = 2000, kUnits = 500;
  constexpr Real kScale = 1 / 0.9f;
  std::vector<int> kept(kUnits);
  double sample_spread = 0, unit_spread = 0;
  size_t other_values = 0;
  for (size_t sample = 0; sample < kSamples; ++sample) {
    std::vector<Real> values(kUnits, 1.0f);
    dropout(3, sample, 0.9f, values);
    int of_sample = 0;
    for (size_t unit = 0; unit < kUnits; ++unit) {
      other_values += values[unit] != 0.0f && values[unit] != kScale;
      of_sample += values[unit] > 0;
      kept[unit] += values[unit] > 0;
    }
    sample_spread += std::pow(of_sample - 0.9 * kUnits, 2) / (0.09 * kUnits);
  }
  for (int of_unit : kept) unit_spread += std::pow(of_unit - 0.9 * kSamples, 2) / (0.09 * kSamples);
  CHECK(other_values == 0);
  // The counts are binomial: each term has the mean 1 and the deviation sqrt(2). The tolerance is four
  // standard errors.
  CHECK(std::fabs(sample_spread / kSamples - 1) < 4 * std::sqrt(2.0 / kSamples));
  CHECK(std::fabs(unit_spread / kUnits - 1) < 4 * std::sqrt(2.0 / kUnits));
}

TEST_CASE("random: dropout of a unit is independent of other units, samples, batches and seeds") {
  constexpr size_t kSamples = 1000, kUnits = 500;
  const auto masks = [](uint64_t seed, uint64_t first_sample) {
    std::vector<Real> values(kSamples * kUnits, 1.0f);
    for (size_t i = 0; i < kSamples; ++i) {
      dropout(seed, first_sample + i, 0.9f, std::span(values).subspan(i * kUnits, kUnits));
    }
    return values;
  };
  const auto base = masks(3, 0);
  CHECK(base == masks(3, 0));
  CHECK(uncorrelated(base, masks(4, 0)));
  CHECK(uncorrelated(base, masks(3, 60'000)));  // the next epoch
  // Compares neighbors within a word and within a block, and values further apart; the next sample; and the
  // same position in the next batch.
  for (size_t distance : {size_t{1}, size_t{2}, size_t{8}, kUnits, 100 * kUnits}) {
    CHECK(uncorrelated(std::span(base).subspan(distance), std::span(base).first(base.size() - distance)));
  }
}
