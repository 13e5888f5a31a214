#include "data/batches.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <vector>

using namespace trainer;

TEST_CASE("batches: every example is used once per epoch, even if a batch spans two epochs") {
  Batches batches(1, 103, 10);
  std::vector<uint32_t> orders[3];
  for (uint64_t position = 0; position < 3 * 103; ++position) {
    orders[position / 103].push_back(batches.example(position));
  }
  for (const auto& order : orders) CHECK(std::set(order.begin(), order.end()).size() == 103);
  CHECK(orders[0] != orders[1]);
  CHECK(orders[1] != orders[2]);
}

TEST_CASE("batches: a run that resumes in the middle sees the same batches as an uninterrupted one") {
  Batches whole(5, 100, 7), resumed(5, 100, 7);
  std::vector<uint32_t> expected, seen;
  for (uint64_t p = 0; p < 400; ++p) expected.push_back(whole.example(p));
  for (uint64_t p = resumed.first_position(40); p < 400; ++p) seen.push_back(resumed.example(p));
  CHECK(seen == std::vector(expected.begin() + 280, expected.end()));
}

TEST_CASE(
    "batches: an order prepared in advance is the same as in a run that starts in that epoch, even after "
    "jumps") {
  Batches ahead(3, 60, 10);
  for (const uint64_t epoch : {0, 1, 2, 4, 1, 2}) {
    Batches direct(3, 60, 10);
    for (uint64_t place = 0; place < 60; ++place) {
      REQUIRE(ahead.example(60 * epoch + place) == direct.example(60 * epoch + place));
    }
  }
}

TEST_CASE("batches: another seed gives another order, and the examples are shuffled") {
  Batches a(1, 1000, 10), b(2, 1000, 10);
  int same = 0, fixed = 0;
  for (uint32_t p = 0; p < 1000; ++p) {
    same += a.example(p) == b.example(p);
    fixed += a.example(p) == p;
  }
  CHECK(same < 10);
  CHECK(fixed < 10);
}

TEST_CASE("batches: each example is equally often at each position and after each other example") {
  constexpr uint32_t kExamples = 40, kSeeds = 4000;
  std::vector<int> at(kExamples * kExamples), after(kExamples * kExamples);
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    Batches batches(seed, kExamples, 10);
    for (uint32_t place = 0; place < kExamples; ++place) {
      const uint32_t example = batches.example(place);
      ++at[place * kExamples + example];
      if (place > 0) ++after[batches.example(place - 1) * kExamples + example];
    }
  }
  // Each count has a binomial distribution: kSeeds tries with the probability 1 / kExamples. A term has the
  // mean kShare.
  constexpr double kExpected = double{kSeeds} / kExamples, kShare = 1 - 1.0 / kExamples;
  const auto fits = [](const std::vector<int>& counts, bool diagonal) {
    double sum = 0, mean = 0;
    for (uint32_t i = 0; i < kExamples * kExamples; ++i) {
      if (!diagonal && i / kExamples == i % kExamples) continue;
      sum += std::pow(counts[i] - kExpected, 2) / kExpected;
      mean += kShare;
    }
    return std::fabs(sum - mean) < 4 * std::sqrt(2 * mean);
  };
  CHECK(fits(at, true));
  CHECK(fits(after, false));
}
