#pragma once

#include <cstdint>

#include "cuda/memory.h"
#include "cuda/tile.cuh"

namespace trainer::cuda {

/// What a product's tiles look like.
template <Precision kPrecisionOf, int kRowsOf, int kColumnsOf, int kDepthOf>
struct TileShape {
  static constexpr Precision kPrecision = kPrecisionOf;
  static constexpr int kRows = kRowsOf, kColumns = kColumnsOf, kDepth = kDepthOf;
};

/// Most segments that a block adds pairwise: 2 to this power.
constexpr int kLevels = 3;

/// out = A x B, a tile by each block, where a problem says what A, B and out are:
///
///     using Shape;                                           of the tiles
///     static constexpr bool kRowsTogether, kColumnsTogether; whether neighbouring rows of A, columns of B,
///     are
///                                                            neighbours in memory; else neighbours in k are
///     static constexpr bool kPairwise;                       whether a block has several segments
///     static constexpr int kGroup;                           rows that store() wants at once; divides `rows`
///     uint32_t rows, columns;                                of out
///     uint32_t begin(segment), end(segment);                 which k it adds up
///     uint32_t segments;                                     of a block; a power of two, 8 at most
///     float a(row, k), b(k, column);
///     void store(z, row, column, const float* values)        kGroup rows from `row` on; z: the block's place
///     in depth
///
/// A sum runs over a segment's k one after the other; the segments of a block are added pairwise: first with
/// second, third with fourth, then these. So an element's bits depend on its row, its column and its
/// segments, not on what else is computed beside it.
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
      if (more) fetch(k, end);  // on its way while the sums go on
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

  /// The i-th element that this thread brings of a tile `width` wide, as (k, place across).
  struct Place {
    int k, across;
  };
  template <bool kTogether, int kWidth>
  static __device__ Place place(int i) {
    const int n = static_cast<int>(threadIdx.x) + i * kTileThreads;
    // Neighbours in k: eight of them are the 32 bytes that memory gives at least, and meet in no bank.
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

  /// Takes in the sum of one more segment: level l holds that of 2^l segments where the count has that bit.
  /// At the last segment `sum` is the sum of all.
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

/// Puts a product into a stream, `depth` blocks of segments deep.
template <typename Problem>
void multiply(const Stream& stream, const Problem& problem, uint32_t depth = 1) {
  const dim3 blocks(blocks_for(problem.rows, Problem::Shape::kRows),
                    blocks_for(problem.columns, Problem::Shape::kColumns), depth);
  launch(stream, product<Problem>, blocks, kTileThreads, problem);
}

}  // namespace trainer::cuda
