#include "cuda/product.cuh"

#include <doctest/doctest.h>

#include <vector>

#include "base/philox.h"
#include "cuda/layers.cuh"

using namespace trainer;
using namespace trainer::cuda;

namespace {

std::vector<float> numbers(size_t count, uint64_t seed) {
  std::vector<float> result(count);
  for (size_t i = 0; i < count; ++i) {
    result[i] = static_cast<float>(draw(seed, Purpose::shuffle, i, 0)[0]) * 0x1p-31f - 1;
  }
  return result;
}

/// The gradient of the weights, computed with more digits than on the GPU.
double expected(const std::vector<float>& x, const std::vector<float>& d, uint32_t rows, uint32_t inputs,
                uint32_t columns, uint32_t input, uint32_t column) {
  double sum = 0;
  for (uint32_t r = 0; r < rows; ++r)
    sum += (input < inputs ? double{x[r * inputs + input]} : 1.0) * d[r * columns + column];
  return sum;
}

template <Precision precision, int rows, int columns, int depth>
std::vector<float> gradient(const std::vector<float>& x, const std::vector<float>& d, uint32_t inputs,
                            uint32_t outputs, const std::vector<uint32_t>& bounds) {
  const Stream stream;
  std::vector<float> out(size_t{inputs + 1} * outputs, -99);
  multiply(stream, DenseGradient<TileShape<precision, rows, columns, depth>>{
                       inputs + 1, outputs, x.data(), d.data(), bounds.data(),
                       static_cast<uint32_t>(bounds.size() - 1), out.data()});
  return out;
}

}  // namespace

TEST_CASE(
    "product: gradients of weights and biases are right even if the sizes are not multiples of a tile, in "
    "all precisions and shapes") {
  constexpr uint32_t kInputs = 45, kOutputs = 70, kRows = 53;
  // one shard is empty, and none fills a tile
  const std::vector<uint32_t> bounds = {0, 6, 13, 19, 26, 33, 33, 46, 53};
  const auto x = numbers(kRows * kInputs, 1), d = numbers(kRows * kOutputs, 2);
  const auto check = [&](const std::vector<float>& found, double tolerance) {
    for (uint32_t i = 0; i <= kInputs; ++i) {
      for (uint32_t j = 0; j < kOutputs; ++j) {
        REQUIRE(std::abs(found[i * kOutputs + j] - expected(x, d, kRows, kInputs, kOutputs, i, j)) <
                tolerance);
      }
    }
  };
  check(gradient<Precision::fp32, 32, 32, 16>(x, d, kInputs, kOutputs, bounds), 1e-5);
  check(gradient<Precision::fp32, 64, 64, 32>(x, d, kInputs, kOutputs, bounds), 1e-5);
  check(gradient<Precision::tf32, 32, 32, 16>(x, d, kInputs, kOutputs, bounds), 0.02);
  check(gradient<Precision::tf32, 64, 64, 32>(x, d, kInputs, kOutputs, bounds), 0.02);
  check(gradient<Precision::bf16, 32, 32, 16>(x, d, kInputs, kOutputs, bounds), 0.15);
  check(gradient<Precision::bf16, 64, 64, 32>(x, d, kInputs, kOutputs, bounds), 0.15);
}

TEST_CASE("product: tensor cores round the factors and nothing else") {
  // For values that the formats can represent exactly, the results equal those of fp32.
  auto x = numbers(40 * 33, 1), d = numbers(40 * 32, 2);
  for (float& value : x) value = static_cast<float>(static_cast<int>(value * 100));
  for (float& value : d) value = static_cast<float>(static_cast<int>(value * 100));
  const std::vector<uint32_t> bounds = {0, 40};
  const auto exact = gradient<Precision::fp32, 32, 32, 16>(x, d, 33, 32, bounds);
  CHECK(gradient<Precision::tf32, 32, 32, 16>(x, d, 33, 32, bounds) == exact);
  CHECK(gradient<Precision::bf16, 32, 32, 16>(x, d, 33, 32, bounds) == exact);
  x[5] = 1 + 0x1p-9f;  // tf32 has this bit, bf16 does not
  const auto finer = gradient<Precision::fp32, 32, 32, 16>(x, d, 33, 32, bounds);
  CHECK(gradient<Precision::tf32, 32, 32, 16>(x, d, 33, 32, bounds) == finer);
  CHECK(gradient<Precision::bf16, 32, 32, 16>(x, d, 33, 32, bounds) != finer);
}

TEST_CASE(
    "product: shards are added pairwise, so the sum over parts of a batch has the bits of the whole sum") {
  constexpr uint32_t kInputs = 20, kOutputs = 33, kRows = 60;
  const auto x = numbers(kRows * kInputs, 3), d = numbers(kRows * kOutputs, 4);
  const std::vector<uint32_t> bounds = {0, 7, 15, 22, 30, 37, 45, 52, 60};
  const auto sum = [&](auto& sum_of, uint32_t first, uint32_t last, uint32_t parts) -> std::vector<float> {
    if (parts == 1) {
      std::vector<uint32_t> part;
      for (uint32_t s = first; s <= last; ++s) part.push_back(bounds[s] - bounds[first]);
      const std::vector<float> px(x.begin() + bounds[first] * kInputs, x.begin() + bounds[last] * kInputs);
      const std::vector<float> pd(d.begin() + bounds[first] * kOutputs, d.begin() + bounds[last] * kOutputs);
      return gradient<Precision::fp32, 32, 32, 16>(px, pd, kInputs, kOutputs, part);
    }
    const uint32_t middle = (first + last) / 2;
    auto left = sum_of(sum_of, first, middle, parts / 2);
    const auto right = sum_of(sum_of, middle, last, parts / 2);
    for (size_t i = 0; i < left.size(); ++i) left[i] += right[i];
    return left;
  };
  const auto whole = sum(sum, 0, 8, 1);
  for (const uint32_t parts : {2, 4, 8}) CHECK(sum(sum, 0, 8, parts) == whole);
}
