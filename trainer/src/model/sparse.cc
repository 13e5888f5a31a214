#include "model/sparse.h"

#include <algorithm>
#include <cstring>

#include "base/vectorize.h"

namespace trainer {

SparseRows image_rows(std::span<const uint8_t* const> images, uint32_t pixels) {
  SparseRows result;
  result.start.reserve(images.size() + 1);
  result.start.push_back(0);
  result.column.reserve(images.size() * pixels / 4);
  result.value.reserve(images.size() * pixels / 4);
  for (const uint8_t* image : images) {
    uint32_t p = 0;
    while (p < pixels) {
      uint64_t eight;
      if (p + 8 <= pixels && (std::memcpy(&eight, image + p, 8), eight == 0)) {
        p += 8;
        continue;
      }
      for (const uint32_t end = std::min(p + 8, pixels); p < end; ++p) {
        if (image[p] == 0) continue;
        result.column.push_back(static_cast<uint16_t>(p));
        result.value.push_back(static_cast<float>(image[p]) / 255.0f);
      }
    }
    result.start.push_back(static_cast<uint32_t>(result.value.size()));
  }
  return result;
}

SparseRows transposed(const SparseRows& rows, uint32_t columns, std::span<const uint32_t> bounds) {
  SparseRows result;
  const auto segments = static_cast<uint32_t>(bounds.size() - 1);
  result.segments = segments;
  result.start.resize(size_t{columns} * segments + 1);
  result.column.resize(rows.value.size());
  result.value.resize(rows.value.size());
  // A counting sort by (column, segment); within these the order of rows is kept.
  for (uint32_t segment = 0; segment < segments; ++segment) {
    for (uint32_t i = rows.start[bounds[segment]]; i < rows.start[bounds[segment + 1]]; ++i) {
      ++result.start[size_t{rows.column[i]} * segments + segment + 1];
    }
  }
  for (size_t i = 1; i < result.start.size(); ++i) result.start[i] += result.start[i - 1];
  std::vector<uint32_t> next(result.start.begin(), result.start.end() - 1);
  for (uint32_t segment = 0; segment < segments; ++segment) {
    for (uint32_t row = bounds[segment]; row < bounds[segment + 1]; ++row) {
      for (uint32_t i = rows.start[row]; i < rows.start[row + 1]; ++i) {
        const uint32_t to = next[size_t{rows.column[i]} * segments + segment]++;
        result.column[to] = static_cast<uint16_t>(row);
        result.value[to] = rows.value[i];
      }
    }
  }
  return result;
}

Tiles::Tiles(uint32_t rows, uint32_t columns)
    : rows_(rows), columns_(columns), data_(size_t{rows} * ((columns + kWidth - 1) / kWidth) * kWidth) {}

uint32_t Tiles::width(uint32_t tile) const {
  return std::min(kWidth, columns_ - tile * kWidth);
}

void Tiles::copy_in(uint32_t tile, uint32_t first, uint32_t last, const float* source, size_t stride) {
  float* to = &data_[(size_t{tile} * rows_ + first) * kWidth];
  const float* from = source + first * stride + tile * kWidth;
  const size_t bytes = width(tile) * sizeof(float);
  for (uint32_t row = first; row < last; ++row, to += kWidth, from += stride) std::memcpy(to, from, bytes);
}

namespace {

using Lanes = float __attribute__((vector_size(64), aligned(4)));
constexpr uint32_t kLanes = 16;
static_assert(Tiles::kWidth == 2 * kLanes);

}  // namespace

KML_VECTORIZE
void multiply(const SparseRows& a, uint32_t first, uint32_t last, const Tiles& b, uint32_t tile,
              uint32_t width, float* out, size_t stride) {
  const float* matrix = b.data(tile);
  const uint32_t* segment_start = &a.start[size_t{first} * a.segments];
  for (uint32_t row = first; row < last; ++row, out += stride) {
    Lanes total[2] = {};
    for (uint32_t segment = 0; segment < a.segments; ++segment, ++segment_start) {
      uint32_t i = segment_start[0];
      const uint32_t end = segment_start[1];
      if (i == end) continue;
      // Four independent sums hide the latency of the additions.
      Lanes sum[4][2] = {};
      for (; i + 4 <= end; i += 4) {
#pragma GCC unroll 4
        for (uint32_t k = 0; k < 4; ++k) {
          const auto* line = reinterpret_cast<const Lanes*>(matrix + size_t{a.column[i + k]} * Tiles::kWidth);
          sum[k][0] += a.value[i + k] * line[0];
          sum[k][1] += a.value[i + k] * line[1];
        }
      }
      for (; i < end; ++i) {
        const auto* line = reinterpret_cast<const Lanes*>(matrix + size_t{a.column[i]} * Tiles::kWidth);
        sum[0][0] += a.value[i] * line[0];
        sum[0][1] += a.value[i] * line[1];
      }
      total[0] += (sum[0][0] + sum[1][0]) + (sum[2][0] + sum[3][0]);
      total[1] += (sum[0][1] + sum[1][1]) + (sum[2][1] + sum[3][1]);
    }
    std::memcpy(out, total, width * sizeof(float));
  }
}

}  // namespace trainer
