#include "model/sparse.h"

#include <doctest/doctest.h>

#include <vector>

#include "base/random.h"

using namespace trainer;

namespace {

/// Rows of random bytes, of which three in four are 0.
std::vector<std::vector<uint8_t>> random_images(uint32_t count, uint32_t pixels) {
  std::vector<std::vector<uint8_t>> images(count, std::vector<uint8_t>(pixels));
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t p = 0; p < pixels; ++p) {
      const auto words = draw(1, Purpose::shuffle, i, p);
      if (words[0] % 4 == 0) images[i][p] = static_cast<uint8_t>(words[1]);
    }
  }
  return images;
}

SparseRows rows_of(const std::vector<std::vector<uint8_t>>& images) {
  std::vector<const uint8_t*> pointers;
  for (const auto& image : images) pointers.push_back(image.data());
  return image_rows(pointers, static_cast<uint32_t>(images[0].size()));
}

std::vector<Real> random_matrix(size_t size) {
  std::vector<Real> values(size);
  truncated_normal(2, 0, 1, values);
  return values;
}

}  // namespace

TEST_CASE("sparse: the product is the dense product, for any shape") {
  for (uint32_t columns : {1, 31, 32, 33, 500}) {
    constexpr uint32_t kImages = 9, kPixels = 83;
    const auto images = random_images(kImages, kPixels);
    const auto matrix = random_matrix(kPixels * columns);
    Tiles tiles(kPixels, columns);
    std::vector<Real> out(kImages * columns, -1);
    for (uint32_t tile = 0; tile < tiles.count(); ++tile) {
      tiles.copy_in(tile, 0, kPixels, matrix.data(), columns);
      multiply(rows_of(images), 0, kImages, tiles, tile, tiles.width(tile), &out[tile * Tiles::kWidth],
               columns);
    }
    for (uint32_t i = 0; i < kImages; ++i) {
      for (uint32_t c = 0; c < columns; ++c) {
        double expected = 0;
        for (uint32_t p = 0; p < kPixels; ++p) expected += images[i][p] / 255.0 * matrix[p * columns + c];
        CHECK(out[i * columns + c] == doctest::Approx(expected).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("sparse: a row's result does not depend on the rows around it") {
  const auto rows = rows_of(random_images(20, 50));
  const auto matrix = random_matrix(50 * 32);
  Tiles tiles(50, 32);
  tiles.copy_in(0, 0, 50, matrix.data(), 32);
  std::vector<Real> all(20 * 32), some(5 * 32);
  multiply(rows, 0, 20, tiles, 0, 32, all.data(), 32);
  multiply(rows, 7, 12, tiles, 0, 32, some.data(), 32);
  CHECK(std::equal(some.begin(), some.end(), all.begin() + 7 * 32));
}

TEST_CASE("sparse: segments of a transposed product are sums over the shards, added pairwise") {
  constexpr uint32_t kImages = 13, kPixels = 40;
  const auto images = random_images(kImages, kPixels);
  const auto matrix = random_matrix(kImages * 32);
  Tiles tiles(kImages, 32);
  tiles.copy_in(0, 0, kImages, matrix.data(), 32);
  const std::vector<uint32_t> bounds = {0, 4, 4, 9, 13};
  std::vector<Real> whole(kPixels * 32);
  multiply(transposed(rows_of(images), kPixels, bounds), 0, kPixels, tiles, 0, 32, whole.data(), 32);
  std::vector<std::vector<Real>> parts(bounds.size() - 1, std::vector<Real>(kPixels * 32));
  for (size_t shard = 0; shard < parts.size(); ++shard) {
    std::vector<std::vector<uint8_t>> own(kImages, std::vector<uint8_t>(kPixels));
    std::copy(&images[bounds[shard]], images.data() + bounds[shard + 1], &own[bounds[shard]]);
    multiply(transposed(rows_of(own), kPixels, std::vector<uint32_t>{0, kImages}), 0, kPixels, tiles, 0, 32,
             parts[shard].data(), 32);
  }
  std::vector<Real> sum(kPixels * 32);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = (parts[0][i] + parts[1][i]) + (parts[2][i] + parts[3][i]);
  CHECK(whole == sum);
}
