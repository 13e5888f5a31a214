#pragma once

#include <cuda_bf16.h>
#include <mma.h>

#include "cuda/precision.h"

namespace trainer::cuda {

/// The number of threads in a block that computes a tile of a product.
constexpr int kTileThreads = 128;

/// How a factor is stored in shared memory. Leaves some floats or bf16 unused between its rows, so that few
/// threads of a warp use the same bank, and each row starts at a multiple of 16 bytes, which the tensor
/// cores' loads require.
template <Precision precision>
struct Factor {
  using Stored = float;
  static constexpr int kFree = 4;
  static __device__ Stored from(float value) {
    if constexpr (precision == Precision::tf32) return nvcuda::wmma::__float_to_tf32(value);
    return value;
  }
};
template <>
struct Factor<Precision::bf16> {
  using Stored = __nv_bfloat16;
  static constexpr int kFree = 8;
  static __device__ Stored from(float value) { return __float2bfloat16(value); }
};

/// The sums of a tile of kRows x kColumns, distributed over the threads of a block, computed by tensor cores.
template <Precision precision, int kRows, int kColumns>
struct TileSum {
  static constexpr int kStep = precision == Precision::bf16 ? 16 : 8;
  static constexpr int kDown = kRows / 32,
                       kAcross = kColumns / 32;  ///< how many 16 x 16 parts each of the four warps has
  static constexpr int kValues = kDown * kAcross * 8;
  static_assert(kDown * 32 == kRows && kAcross * 32 == kColumns);
  using Stored = typename Factor<precision>::Stored;
  using Type = std::conditional_t<precision == Precision::bf16, __nv_bfloat16, nvcuda::wmma::precision::tf32>;
  using Part = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, kStep, float>;

  Part part[kDown][kAcross];

  static __device__ int row() { return static_cast<int>(threadIdx.x) / 64 * (kRows / 2); }
  static __device__ int column() { return static_cast<int>(threadIdx.x) / 32 % 2 * (kColumns / 2); }

  __device__ void clear() {
    for (auto& row : part) {
      for (Part& p : row) nvcuda::wmma::fill_fragment(p, 0.0f);
    }
  }

  /// Adds the product of `a` (kRows values for each k) and `b` (kColumns values for each k).
  template <int kDepth, int kAStride, int kBStride>
  __device__ void add(const Stored* a, const Stored* b) {
    using namespace nvcuda::wmma;
#pragma unroll
    for (int k = 0; k < kDepth; k += kStep) {
      fragment<matrix_a, 16, 16, kStep, Type, col_major> left[kDown];
      fragment<matrix_b, 16, 16, kStep, Type, row_major> right[kAcross];
#pragma unroll
      for (int i = 0; i < kDown; ++i) load_matrix_sync(left[i], a + k * kAStride + row() + 16 * i, kAStride);
#pragma unroll
      for (int j = 0; j < kAcross; ++j)
        load_matrix_sync(right[j], b + k * kBStride + column() + 16 * j, kBStride);
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
#pragma unroll
        for (int j = 0; j < kAcross; ++j) mma_sync(part[i][j], left[i], right[j], part[i][j]);
      }
    }
  }

  /// One of this thread's kValues sums. Their order is the same in all TileSums of a type.
  __device__ float& value(int i) {
    return part[i / 8 / kAcross][i / 8 % kAcross].x[i % 8];
  }

  template <int kStride>
  __device__ void store(float* to) const {
#pragma unroll
    for (int i = 0; i < kDown; ++i) {
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
        nvcuda::wmma::store_matrix_sync(to + (row() + 16 * i) * kStride + column() + 16 * j, part[i][j],
                                        kStride, nvcuda::wmma::mem_row_major);
      }
    }
  }
};

/// The sums of a tile of kRows x kColumns, computed by general arithmetic units. Each thread has four columns
/// of some rows.
template <int kRows, int kColumns>
struct TileSum<Precision::fp32, kRows, kColumns> {
  static constexpr int kAcross = kColumns / 4, kDown = kRows * kAcross / kTileThreads;
  static constexpr int kValues = kDown * 4;
  static_assert(kDown * kTileThreads == kRows * kAcross);

  float sum[kDown][4];

  static __device__ int row() { return static_cast<int>(threadIdx.x) / kAcross * kDown; }
  static __device__ int column() { return static_cast<int>(threadIdx.x) % kAcross * 4; }

  __device__ void clear() {
#pragma unroll
    for (int i = 0; i < kValues; ++i) value(i) = 0;
  }

  template <int kDepth, int kAStride, int kBStride>
  __device__ void add(const float* a, const float* b) {
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      float left[kDown], right[4];
#pragma unroll
      for (int i = 0; i < kDown; ++i) left[i] = a[k * kAStride + row() + i];
#pragma unroll
      for (int j = 0; j < 4; ++j) right[j] = b[k * kBStride + column() + j];
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += left[i] * right[j];
      }
    }
  }

  __device__ float& value(int i) {
    return sum[i / 4][i % 4];
  }

  template <int kStride>
  __device__ void store(float* to) const {
#pragma unroll
    for (int i = 0; i < kDown; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) to[(row() + i) * kStride + column() + j] = sum[i][j];
    }
  }
};

}  // namespace trainer::cuda
