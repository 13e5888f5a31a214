#include "comm/gradient_sum.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include "base/random.h"
#include "comm/collectives.h"
#include "comm/shards.h"
#include "trainer/threads_communicator.h"

using namespace trainer;

namespace {

constexpr size_t kParameters = 1000;
constexpr uint32_t kBatch = 21;

/// A row's part of a parameter's gradient: a number between -1 and 1.
Real gradient_of(uint32_t row, size_t parameter) {
  return static_cast<Real>(draw(1, Purpose::shuffle, row, static_cast<uint32_t>(parameter))[0]) * 0x1p-31f -
         1;
}

/// The gradient of a piece as a model would compute it: sums within the shards, added pairwise.
std::vector<Real> piece_gradient(const std::vector<uint32_t>& bounds) {
  std::vector<std::vector<Real>> sums;
  for (size_t shard = 0; shard + 1 < bounds.size(); ++shard) {
    sums.emplace_back(kParameters);
    for (uint32_t row = bounds[shard]; row < bounds[shard + 1]; ++row) {
      for (size_t i = 0; i < kParameters; ++i) sums[shard][i] += gradient_of(row, i);
    }
  }
  while (sums.size() > 1) {
    for (size_t pair = 0; pair < sums.size() / 2; ++pair) {
      for (size_t i = 0; i < kParameters; ++i) sums[pair][i] = sums[2 * pair][i] + sums[2 * pair + 1][i];
    }
    sums.resize(sums.size() / 2);
  }
  return sums[0];
}

using Make = std::unique_ptr<GradientSum> (&)(Communicator&, size_t);

struct Result {
  std::vector<Real> sum;
  uint64_t sent = 0;  ///< the bytes that all ranks together sent, without the reports
  uint32_t rows = 0;  ///< the rows that all ranks together computed
};

/// Returns the sum, after checking that all ranks have the same sum, and the reports of all others.
Result sum_among(uint32_t world, Make make) {
  Result result;
  std::mutex mutex;
  as_ranks(world, [&](Communicator& communicator) {
    const auto sum = make(communicator, kParameters);
    std::vector<std::vector<Real>> gradients;
    uint32_t rows = 0;
    for (const auto& bounds : sum->pieces(kBatch)) {
      gradients.push_back(piece_gradient(bounds));
      rows += bounds.back() - bounds.front();
    }
    std::vector<uint32_t> reports(world), all_reports(world);
    std::iota(all_reports.begin(), all_reports.end(), 100);
    reports[communicator.rank()] = all_reports[communicator.rank()];
    const auto slice = sum->reduce(gradients, std::as_writable_bytes(std::span(reports)));
    std::vector<Real> all(kParameters);
    std::copy(slice.begin(), slice.end(), &all[slice_bounds(kParameters, world)[communicator.rank()]]);
    sum->gather(all);
    const std::lock_guard lock(mutex);
    if (result.sum.empty()) result.sum = all;
    CHECK(all == result.sum);
    CHECK(reports == all_reports);
    result.sent += communicator.traffic().sent - (world - 1) * sizeof(uint32_t);
    result.rows += rows;
  });
  return result;
}

}  // namespace

TEST_CASE("gradient sum: for 1 to 8 ranks, the exact sum has the same bits, and is nearly the plain sum") {
  std::vector<double> plain(kParameters);
  for (uint32_t row = 0; row < kBatch; ++row) {
    for (size_t i = 0; i < kParameters; ++i) plain[i] += gradient_of(row, i);
  }
  const Result alone = sum_among(1, make_exact_sum);
  for (size_t i = 0; i < kParameters; ++i) REQUIRE(alone.sum[i] == doctest::Approx(plain[i]).epsilon(1e-5));
  for (uint32_t world = 2; world <= kShards; ++world) {
    const Result result = sum_among(world, make_exact_sum);
    CHECK(result.sum == alone.sum);
    CHECK(result.rows == kBatch);
  }
}

TEST_CASE(
    "gradient sum: the ring gives the plain sum for any number of ranks, and N ranks together send 2 (N - 1) "
    "times its bytes") {
  const Result alone = sum_among(1, make_exact_sum);
  for (const uint32_t world : {2, 3, 8, 11}) {
    const Result result = sum_among(world, make_ring_sum);
    for (size_t i = 0; i < kParameters; ++i) {
      REQUIRE(result.sum[i] == doctest::Approx(alone.sum[i]).epsilon(1e-4));
    }
    CHECK(result.rows == kBatch);
    CHECK(result.sent == 2 * (world - 1) * kParameters * sizeof(Real));
  }
}

TEST_CASE("gradient sum: if the number of ranks is a power of two, the exact sum sends no more than a ring") {
  for (const uint32_t world : {2, 4, 8}) {
    CHECK(sum_among(world, make_exact_sum).sent == 2 * (world - 1) * kParameters * sizeof(Real));
  }
}

TEST_CASE("gradient sum: losses are added in one order, whichever ranks have them") {
  const double losses[kShards] = {1e16, 1, -1e16, 1, 3, 1e-3, 7, 1e9};
  std::vector<double> found;
  for (uint32_t world = 1; world <= kShards; ++world) {
    ThreadsCommunicator::Post post;
    ThreadsCommunicator communicator(0, world, post);
    std::vector<double> leaves;
    for (uint32_t rank = 0; rank < world; ++rank) {
      for (const Subtree& tree : subtrees(rank, world)) {
        std::vector<double> sums(losses + tree.first, losses + tree.last);
        for (; sums.size() > 1; sums.resize(sums.size() / 2)) {
          for (size_t pair = 0; pair < sums.size() / 2; ++pair)
            sums[pair] = sums[2 * pair] + sums[2 * pair + 1];
        }
        leaves.push_back(sums[0]);
      }
    }
    found.push_back(make_exact_sum(communicator, kParameters)->add_losses(leaves));
  }
  for (const double sum : found) CHECK(sum == found[0]);
}

TEST_CASE(
    "collectives: each rank receives every rank's value, rank 0 gathers, and all receive what rank 0 sends") {
  as_ranks(5, [](Communicator& communicator) {
    const auto said = all_gather_values(communicator, communicator.rank() * 10);
    std::vector<uint32_t> numbers(100, communicator.rank());
    const auto bounds = in_bytes(slice_bounds(numbers.size(), 5), sizeof(uint32_t));
    gather(communicator, std::as_writable_bytes(std::span(numbers)), bounds);
    std::vector<uint32_t> copy = numbers;
    broadcast(communicator, std::as_writable_bytes(std::span(copy)));
    if (communicator.rank() == 0) CHECK(copy == numbers);
    CHECK(said == std::vector<uint32_t>{0, 10, 20, 30, 40});
    CHECK(copy.back() == 4);
    CHECK(std::is_sorted(copy.begin(), copy.end()));
  });
}

TEST_CASE("slices: the slices cover all elements, in order, and start at multiples of 64") {
  for (const uint32_t world : {1, 3, 8}) {
    const auto bounds = slice_bounds(397510, world);
    CHECK(bounds.front() == 0);
    CHECK(bounds.back() == 397510);
    for (size_t i = 0; i + 1 < bounds.size(); ++i) CHECK((bounds[i] % 64 == 0 && bounds[i] < bounds[i + 1]));
  }
  CHECK(slice_bounds(10, 3) == std::vector<size_t>{0, 0, 0, 10});
}
