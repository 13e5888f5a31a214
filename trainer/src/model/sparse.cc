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
        result.value.push_back(static_cast<Real>(image[p]) / 255);
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
  // A counting sort by column and segment. It keeps the order of rows that have the same column and segment.
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

void Tiles::copy_in(uint32_t tile, uint32_t first, uint32_t last, const Real* source, size_t stride) {
  Real* to = &data_[(size_t{tile} * rows_ + first) * kWidth];
  const Real* from = source + first * stride + tile * kWidth;
  const uint32_t columns = width(tile);
  for (uint32_t row = first; row < last; ++row, to += kWidth, from += stride) {
    if (columns == kWidth)
      std::memcpy(to, from, kWidth * sizeof(Real));  // the size is constant, so this takes a few instructions
    else
      std::memcpy(to, from, columns * sizeof(Real));
  }
}

namespace {

/// Vectors with the length of a processor's registers: for AVX-512, and for other processors (AVX2, NEON).
/// g++ 12 divides longer vectors into single numbers, and a product then takes ten times as long.
struct Avx512 {
  using Lanes = Real __attribute__((vector_size(64), aligned(sizeof(Real)), may_alias));
};
#ifdef __x86_64__
constexpr size_t kRegister = 32;
#else
constexpr size_t kRegister = 16;
#endif
struct Others {
  using Lanes = Real __attribute__((vector_size(kRegister), aligned(sizeof(Real)), may_alias));
};

/// The product of rows with a tile's columns.
template <typename Register>
struct Product {
  using Lanes = typename Register::Lanes;
  /// How many columns are added up together.
  static constexpr uint32_t kStripe = 2 * sizeof(Lanes) / sizeof(Real);

  /// Computes the sum over a segment's elements, each multiplied by its row of the matrix.
  [[gnu::always_inline]] static void sum_segment(const SparseRows& a, const Real* matrix, uint32_t i,
                                                 uint32_t end, Lanes& low, Lanes& high) {
    const auto line = [&](uint32_t element) {
      return reinterpret_cast<const Lanes*>(matrix + size_t{a.column[element]} * Tiles::kWidth);
    };
    low = high = Lanes{};
    if (end - i >= 4) {  // four independent sums hide the latency of the additions
      Lanes sum[4][2] = {};
      for (; i + 4 <= end; i += 4) {
#pragma GCC unroll 4
        for (uint32_t k = 0; k < 4; ++k) {
          sum[k][0] += a.value[i + k] * line(i + k)[0];
          sum[k][1] += a.value[i + k] * line(i + k)[1];
        }
      }
      low = (sum[0][0] + sum[1][0]) + (sum[2][0] + sum[3][0]);
      high = (sum[0][1] + sum[1][1]) + (sum[2][1] + sum[3][1]);
    }
    for (; i < end; ++i) {
      low += a.value[i] * line(i)[0];
      high += a.value[i] * line(i)[1];
    }
  }

  /// Computes the sums of the segments that begin at start[0 … kSegments), and adds them pairwise.
  template <uint32_t kSegments>
  [[gnu::always_inline]] static void sum_segments(const SparseRows& a, const Real* matrix,
                                                  const uint32_t* start, Lanes& low, Lanes& high) {
    if constexpr (kSegments == 1) {
      sum_segment(a, matrix, start[0], start[1], low, high);
    } else {
      Lanes right_low, right_high;
      sum_segments<kSegments / 2>(a, matrix, start, low, high);
      sum_segments<kSegments / 2>(a, matrix, start + kSegments / 2, right_low, right_high);
      low += right_low;
      high += right_high;
    }
  }

  template <uint32_t kSegments>
  [[gnu::always_inline]] static void rows(const SparseRows& a, uint32_t first, uint32_t last,
                                          const Real* matrix, uint32_t width, Real* out, size_t stride) {
    for (uint32_t row = first; row < last; ++row, out += stride) {
      const uint32_t* start = &a.start[size_t{row} * kSegments];
      for (uint32_t column = 0; column < width; column += kStripe) {
        Lanes low = {}, high = {};
        if (start[0] != start[kSegments]) sum_segments<kSegments>(a, matrix + column, start, low, high);
        if (width - column >= kStripe) {
          auto* to = reinterpret_cast<Lanes*>(out + column);
          to[0] = low;
          to[1] = high;
        } else {
          const Lanes both[2] = {low, high};
          std::memcpy(out + column, both, (width - column) * sizeof(Real));
        }
      }
    }
  }

  [[gnu::always_inline]] static void multiply(const SparseRows& a, uint32_t first, uint32_t last,
                                              const Real* matrix, uint32_t width, Real* out, size_t stride) {
    switch (a.segments) {
      case 1: return rows<1>(a, first, last, matrix, width, out, stride);
      case 2: return rows<2>(a, first, last, matrix, width, out, stride);
      case 4: return rows<4>(a, first, last, matrix, width, out, stride);
      default: return rows<8>(a, first, last, matrix, width, out, stride);
    }
  }
};

#ifdef KML_AVX512
KML_AVX512
void multiply_by_avx512(const SparseRows& a, uint32_t first, uint32_t last, const Real* matrix,
                        uint32_t width, Real* out, size_t stride) {
  Product<Avx512>::multiply(a, first, last, matrix, width, out, stride);
}
#endif

KML_VECTORIZE
void multiply_by_others(const SparseRows& a, uint32_t first, uint32_t last, const Real* matrix,
                        uint32_t width, Real* out, size_t stride) {
  Product<Others>::multiply(a, first, last, matrix, width, out, stride);
}

}  // namespace

void multiply(const SparseRows& a, uint32_t first, uint32_t last, const Tiles& b, uint32_t tile,
              uint32_t width, Real* out, size_t stride) {
#ifdef KML_AVX512
  static const bool has_avx512 = __builtin_cpu_supports("x86-64-v4");
  if (has_avx512) return multiply_by_avx512(a, first, last, b.data(tile), width, out, stride);
#endif
  multiply_by_others(a, first, last, b.data(tile), width, out, stride);
}

}  // namespace trainer
