#include "random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace trainer;

TEST_CASE("random: philox gives the published values") {
  // Random123's kat_vectors, philox4x32 10.
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

TEST_CASE("random: the truncated normal ends at two sigma and has the right spread") {
  std::vector<float> values(200'000);
  truncated_normal(7, 0, 0.1f, values);
  double sum = 0, squares = 0;
  for (float value : values) sum += value, squares += double{value} * value;
  CHECK(std::fabs(*std::max_element(values.begin(), values.end())) <= 0.2f);
  CHECK(std::fabs(*std::min_element(values.begin(), values.end())) <= 0.2f);
  CHECK(std::fabs(sum / values.size()) < 0.001);
  // Deviation of a normal cut off at 2 sigma: 0.8796 sigma.
  CHECK(std::sqrt(squares / values.size()) == doctest::Approx(0.08796).epsilon(0.01));
}

TEST_CASE("random: weights drawn in pieces are those drawn at once") {
  std::vector<float> whole(100), part(40);
  truncated_normal(7, 0, 1, whole);
  truncated_normal(7, 60, 1, part);
  CHECK(std::equal(part.begin(), part.end(), whole.begin() + 60));
}

TEST_CASE("random: dropout keeps its share, scales it, and differs between samples") {
  std::vector<float> first(10'001, 1.0f), second = first, again = first;
  dropout(3, 0, 0.9f, first);
  dropout(3, 1, 0.9f, second);
  dropout(3, 0, 0.9f, again);
  CHECK(first == again);
  CHECK(first != second);
  const auto kept = std::count(first.begin(), first.end(), 1 / 0.9f);
  CHECK(kept + std::count(first.begin(), first.end(), 0.0f) == 10'001);
  CHECK(kept == doctest::Approx(9'001).epsilon(0.01));
}
