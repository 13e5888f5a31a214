#include "cuda/fast/cnn_kernels.h"
#include "cuda/fast/fits.h"
#include "cuda/fast/launch.h"
#include "cuda/fast/warp_tile.cuh"

namespace trainer::cuda {

namespace {

using Bf16 = __nv_bfloat16;
using Tile = WarpTile<Precision::bf16>;

constexpr uint32_t kAtOnce = kTile;  ///< how many terms of each sum are in shared memory at a time
constexpr int kFoursOfThread = kTile * kTile / 4 / kFastThreads;  ///< of a patch

struct alignas(16) Shared {
  Bf16 left[kTile * kRowStride], right[kTile * kRowStride];
};
static_assert(sizeof(Shared) <= kFastCnnShared);

__device__ inline FourFactors<Precision::bf16> rounded(const FourFactors<Precision::bf16>& four) {
  return four;
}
__device__ inline FourFactors<Precision::bf16> rounded(const float4& four) {
  return four_factors<Precision::bf16>(four.x, four.y, four.z, four.w);
}

/// A row-major matrix. The number of columns is a multiple of four.
template <typename Four>
struct Matrix {
  const Four* fours;
  uint32_t rows, columns;
};

/// This thread's part of 64 x 64 numbers of a matrix, with zeros outside it. They are loaded ahead of their
/// use.
template <typename Four>
struct Patch {
  Four fours[kFoursOfThread];

  static __device__ uint32_t row(int i) { return (i * kFastThreads + threadIdx.x) / (kTile / 4); }
  static __device__ uint32_t column() { return threadIdx.x % (kTile / 4) * 4; }

  __device__ void load(const Matrix<Four>& from, uint32_t first_row, uint32_t first_column) {
    const uint32_t at = first_column + column();
#pragma unroll
    for (int i = 0; i < kFoursOfThread; ++i) {
      const size_t to = first_row + row(i);
      fours[i] = to < from.rows && at < from.columns ? from.fours[(to * from.columns + at) / 4] : Four{};
    }
  }
  __device__ void store(Bf16* to) const {
#pragma unroll
    for (int i = 0; i < kFoursOfThread; ++i)
      *reinterpret_cast<FourFactors<Precision::bf16>*>(to + row(i) * kRowStride + column()) =
          rounded(fours[i]);
  }
};

/// Adds 16 products to each sum of a tile. `left` has a row for each row of the tile. With `kAcross`, `right`
/// has a row for each product, otherwise a row for each column of the tile.
template <bool kAcross>
__device__ void add_products(Tile& sum, const Bf16* left, const Bf16* right, uint32_t k) {
  const uint32_t matrix = Tile::lane() / 8, line = Tile::lane() % 8;
  uint32_t a[2][4], b[4];
  const uint32_t along = k + matrix % 2 * 8, across = Tile::first_column() + matrix / 2 * 8;
  if constexpr (kAcross) {
    load_transposed(b, right + (along + line) * kRowStride + across);
  } else {
    load_matrices(b, right + (across + line) * kRowStride + along);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
    load_matrices(
        a[i], left + (Tile::first_row() + 16 * i + matrix % 2 * 8 + line) * kRowStride + k + matrix / 2 * 8);
#pragma unroll
  for (int i = 0; i < 4; ++i) multiply_bf16(sum.x + 4 * i, a[i / 2], b + 2 * (i % 2));
}

/// Computes a tile of left x right with `kAcross`, otherwise of left x right^T. Adds up the terms from
/// `begin` to `end` of each sum.
template <bool kAcross, typename Four>
__device__ Tile tile_of_product(const Matrix<Four>& left, const Matrix<float4>& right, uint32_t begin,
                                uint32_t end) {
  Shared& shared = *reinterpret_cast<Shared*>(shared_memory());
  const uint32_t row = blockIdx.x * kTile, column = blockIdx.y * kTile;
  Patch<Four> of_left;
  Patch<float4> of_right;
  const auto load = [&](uint32_t k) {
    of_left.load(left, row, k);
    of_right.load(right, kAcross ? k : column, kAcross ? column : k);
  };
  Tile sum;
  sum.clear();
  load(begin);
  for (uint32_t k = begin; k < end; k += kAtOnce) {
    __syncthreads();
    of_left.store(shared.left);
    of_right.store(shared.right);
    __syncthreads();
    if (k + kAtOnce < end) load(k + kAtOnce);
#pragma unroll
    for (uint32_t i = 0; i < kAtOnce; i += 16) add_products<kAcross>(sum, shared.left, shared.right, i);
  }
  return sum;
}

__global__ void __launch_bounds__(kFastThreads) dense_forward(const __grid_constant__ FastDenseForward plan) {
  const uint32_t terms = plan.inputs / gridDim.z;
  const Tile sum = tile_of_product<true>(
      Matrix<FourFactors<Precision::bf16>>{reinterpret_cast<const FourFactors<Precision::bf16>*>(plan.x),
                                           plan.rows, plan.inputs},
      {reinterpret_cast<const float4*>(plan.weights), plan.inputs, plan.hidden}, blockIdx.z * terms,
      (blockIdx.z + 1) * terms);
#pragma unroll
  for (int i = 0; i < 16; i += 2) {
    const uint32_t row = blockIdx.x * kTile + Tile::row(i), unit = blockIdx.y * kTile + Tile::column(i);
    if (row < plan.rows && unit < plan.hidden)
      *reinterpret_cast<float2*>(plan.parts + (size_t{blockIdx.z} * plan.rows + row) * plan.hidden + unit) =
          float2{sum.x[i], sum.x[i + 1]};
  }
}

__global__ void __launch_bounds__(kFastThreads)
    dense_backward(const __grid_constant__ FastDenseBackward plan) {
  const Tile sum = tile_of_product<false>(
      Matrix<float4>{reinterpret_cast<const float4*>(plan.d), plan.rows, plan.hidden},
      {reinterpret_cast<const float4*>(plan.weights), plan.inputs, plan.hidden}, 0, plan.hidden);
#pragma unroll
  for (int i = 0; i < 16; i += 2) {
    const uint32_t row = blockIdx.x * kTile + Tile::row(i), input = blockIdx.y * kTile + Tile::column(i);
    if (row < plan.rows && input < plan.inputs)
      *reinterpret_cast<uint32_t*>(plan.gradients + size_t{row} * plan.inputs + input) =
          pack_bf16(sum.x[i], sum.x[i + 1]);
  }
}

}  // namespace

void fast_dense_forward(const Stream& stream, const FastDenseForward& plan, uint32_t parts) {
  launch_after(stream, false, dense_forward,
               dim3(blocks_for(plan.rows, kTile), blocks_for(plan.hidden, kTile), parts), kFastThreads,
               sizeof(Shared), plan);
}

void fast_dense_backward(const Stream& stream, const FastDenseBackward& plan) {
  launch_after(stream, false, dense_backward,
               dim3(blocks_for(plan.rows, kTile), blocks_for(plan.inputs, kTile)), kFastThreads,
               sizeof(Shared), plan);
}

}  // namespace trainer::cuda
