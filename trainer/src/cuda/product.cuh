#pragma once

#include <cstdint>

#include "cuda/memory.h"
#include "cuda/tile.cuh"

namespace trainer::cuda {

/// The shape of a product's tiles.
template <Precision kPrecisionOf, int kRowsOf, int kColumnsOf, int kDepthOf>
struct TileShape {
  static constexpr Precision kPrecision = kPrecisionOf;
  static constexpr int kRows = kRowsOf, kColumns = kColumnsOf, kDepth = kDepthOf;
};

/// A block adds up at most 2^kLevels segments, pairwise.
constexpr int kLevels = 3;

/// Computes out = A x B, each tile by one block. A problem defines A, B and out by these members:
///
///     using Shape;                                           the shape of the tiles
///     static constexpr bool kRowsTogether, kColumnsTogether; whether neighboring rows of A (columns of B)
///                                                            are neighbors in memory; if not, those in k
///     static constexpr bool kPairwise;                       whether a block has several segments
///     static constexpr int kGroup;                           number of rows for store(); divides `rows`
///     uint32_t rows, columns;                                the size of out
///     uint32_t begin(segment), end(segment);                 the range of k in a segment
///     uint32_t segments;                                     segments of a block; a power of two, at most 8
///     float a(row, k), b(k, column);
///     void store(z, row, column, const float* values)        kGroup rows, beginning with `row`; z is the
///                                                            block's position in depth
///
/// The sum within a segment adds one k after the other. The segments of a block are added pairwise: first
/// with second, third with fourth, then these sums. The bits of an element therefore depend only on its row,
/// its column and its segments, not on other elements computed at the same time.
template <typename Problem>
class Product {
 public:
  using Shape = typename Problem::Shape;
  static constexpr int kRows = Shape::kRows, kColumns = Shape::kColumns, kDepth = Shape::kDepth;

  __device__ explicit Product(const Problem& problem, unsigned char* memory)
      : problem_(problem),
        a_(reinterpret_cast<Stored*>(memory)),
        b_(a_ + kDepth * kAStride),
        out_(reinterpret_cast<float*>(memory)) {}

  __device__ void run() {
    Sum sum, level[Problem::kPairwise ? kLevels : 1];
    const uint32_t first = blockIdx.z * problem_.segments;
    uint32_t segment = 0, k = problem_.begin(first), end = problem_.end(first);
    sum.clear();
    fetch(k, end);
    for (bool more = true; more;) {
      keep();
      __syncthreads();
      const bool segment_ends = k + kDepth >= end;
      k += kDepth;
      if (segment_ends) more = Problem::kPairwise && segment + 1 < problem_.segments;
      if (segment_ends && more) {
        k = problem_.begin(first + segment + 1);
        end = problem_.end(first + segment + 1);
      }
      if (more) fetch(k, end);  // loads the next data while the sums are computed
      sum.template add<kDepth, kAStride, kBStride>(a_, b_);
      if constexpr (Problem::kPairwise) {
        if (segment_ends) add_pairwise(sum, level, segment++);
        if (segment_ends && more) sum.clear();
      }
      __syncthreads();
    }
    sum.template store<kOutStride>(out_);
    __syncthreads();
    store();
  }

  static constexpr int kFree = Factor<Shape::kPrecision>::kFree;
  static constexpr int kAStride = kRows + kFree, kBStride = kColumns + kFree, kOutStride = kColumns + 4;
  using Stored = typename Factor<Shape::kPrecision>::Stored;
  static constexpr size_t kFactorBytes = sizeof(Stored) * kDepth * (kAStride + kBStride);
  static constexpr size_t kOutBytes = sizeof(float) * kRows * kOutStride;
  static constexpr size_t kBytes = kFactorBytes > kOutBytes ? kFactorBytes : kOutBytes;

 private:
  using Sum = TileSum<Shape::kPrecision, kRows, kColumns>;
  static constexpr int kAEach = kRows * kDepth / kTileThreads, kBEach = kColumns * kDepth / kTileThreads;

  /// The place, as (k, index across), of the i-th element that this thread loads from a tile of width
  /// `width`.
  struct Place {
    int k, across;
  };
  template <bool kTogether, int kWidth>
  static __device__ Place place(int i) {
    const int n = static_cast<int>(threadIdx.x) + i * kTileThreads;
    // Eight neighbors in k fill the 32 bytes of a memory access, and they are in different banks.
    return kTogether ? Place{n / kWidth, n % kWidth} : Place{n / (8 * kWidth) * 8 + n % 8, n / 8 % kWidth};
  }

  __device__ void fetch(uint32_t k, uint32_t end) {
    const uint32_t row = blockIdx.x * kRows, column = blockIdx.y * kColumns;
#pragma unroll
    for (int i = 0; i < kAEach; ++i) {
      const Place p = place<Problem::kRowsTogether, kRows>(i);
      const bool inside = k + p.k < end && row + p.across < problem_.rows;
      a_next_[i] = inside ? problem_.a(row + p.across, k + p.k) : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < kBEach; ++i) {
      const Place p = place<Problem::kColumnsTogether, kColumns>(i);
      const bool inside = k + p.k < end && column + p.across < problem_.columns;
      b_next_[i] = inside ? problem_.b(k + p.k, column + p.across) : 0.0f;
    }
  }

  __device__ void keep() {
#pragma unroll
    for (int i = 0; i < kAEach; ++i) {
      const Place p = place<Problem::kRowsTogether, kRows>(i);
      a_[p.k * kAStride + p.across] = Factor<Shape::kPrecision>::from(a_next_[i]);
    }
#pragma unroll
    for (int i = 0; i < kBEach; ++i) {
      const Place p = place<Problem::kColumnsTogether, kColumns>(i);
      b_[p.k * kBStride + p.across] = Factor<Shape::kPrecision>::from(b_next_[i]);
    }
  }

  /// Adds the sum of one more segment. Level l holds the sum of 2^l segments if bit l of their number is set.
  /// After the last segment, `sum` is the total.
  __device__ void add_pairwise(Sum& sum, Sum (&level)[kLevels], uint32_t segment) {
    bool carry = true;
#pragma unroll
    for (int l = 0; l < kLevels; ++l) {
      if (!carry) continue;
      carry = segment >> l & 1;
#pragma unroll
      for (int i = 0; i < Sum::kValues; ++i) {
        if (carry) {
          sum.value(i) = level[l].value(i) + sum.value(i);
        } else {
          level[l].value(i) = sum.value(i);
        }
      }
    }
  }

  __device__ void store() {
    constexpr int kGroup = Problem::kGroup, kGroups = kRows / kGroup * kColumns;
    for (int i = static_cast<int>(threadIdx.x); i < kGroups; i += kTileThreads) {
      const int row = i / kColumns * kGroup, column = i % kColumns;
      const uint32_t to_row = blockIdx.x * kRows + row, to_column = blockIdx.y * kColumns + column;
      if (to_row >= problem_.rows || to_column >= problem_.columns) continue;
      float values[kGroup];
#pragma unroll
      for (int g = 0; g < kGroup; ++g) values[g] = out_[(row + g) * kOutStride + column];
      problem_.store(blockIdx.z, to_row, to_column, values);
    }
  }

  const Problem& problem_;
  Stored *a_, *b_;
  float* out_;
  float a_next_[kAEach], b_next_[kBEach];
};

template <typename Problem>
__global__ void __launch_bounds__(kTileThreads) product(const Problem problem) {
  alignas(32) __shared__ unsigned char memory[Product<Problem>::kBytes];
  Product<Problem>(problem, memory).run();
}

/// Puts a product into a stream. `depth` is the number of blocks along the depth.
template <typename Problem>
void multiply(const Stream& stream, const Problem& problem, uint32_t depth = 1) {
  const dim3 blocks(blocks_for(problem.rows, Problem::Shape::kRows),
                    blocks_for(problem.columns, Problem::Shape::kColumns), depth);
  launch(stream, product<Problem>, blocks, kTileThreads, problem);
}

}  // namespace trainer::cuda
