#include "cuda/fast/cnn_kernels.h"
#include "cuda/fast/fits.h"
#include "cuda/fast/launch.h"
#include "cuda/fast/warp_tile.cuh"

namespace trainer::cuda {

namespace {

/// how many rows of the batch are in shared memory at a time
constexpr uint32_t kRows = kGroups * kGroupRows;

struct alignas(16) Shared {
  __nv_bfloat16 x[kRows * kRowStride], d[kRows * kRowStride];
};
static_assert(sizeof(Shared) <= kFastCnnShared);

/// Computes a tile of the gradient of the weights and biases. Biases are the weights of one more input, which
/// is always 1.
__global__ void __launch_bounds__(kFastThreads)
    dense_gradient(const __grid_constant__ FastDenseGradient plan) {
  using Tile = WarpTile<Precision::bf16>;
  using Four = FourFactors<Precision::bf16>;
  Shared& shared = *reinterpret_cast<Shared*>(shared_memory());
  const uint32_t first_input = blockIdx.x * kTile, first_unit = blockIdx.y * kTile;
  // A thread loads four numbers of a row of each group.
  const uint32_t row = threadIdx.x / (kTile / 4), column = threadIdx.x % (kTile / 4) * 4;
  const uint32_t input = first_input + column, unit = first_unit + column;
  Tile sum;
  sum_shards(
      plan.shards, sum,
      [&](const RowGroups& groups) {
        Four x[kGroups];
        float4 d[kGroups];
#pragma unroll
        for (int g = 0; g < kGroups; ++g) {
          const size_t from = groups.first[g] + row;
          const bool inside = row < groups.rows[g];
          x[g] = four_factors<Precision::bf16>(inside && input == plan.inputs ? 1.0f : 0.0f, 0, 0, 0);
          if (inside && input < plan.inputs)
            x[g] = *reinterpret_cast<const Four*>(plan.x + from * plan.inputs + input);
          d[g] = inside && unit < plan.hidden
                     ? *reinterpret_cast<const float4*>(plan.d + from * plan.hidden + unit)
                     : float4{0, 0, 0, 0};
        }
#pragma unroll
        for (int g = 0; g < kGroups; ++g) {
          const uint32_t at = (g * kGroupRows + row) * kRowStride + column;
          *reinterpret_cast<Four*>(shared.x + at) = x[g];
          *reinterpret_cast<Four*>(shared.d + at) =
              four_factors<Precision::bf16>(d[g].x, d[g].y, d[g].z, d[g].w);
        }
      },
      [&](Tile& to, int group) {
        to.add(shared.x + group * kGroupRows * kRowStride, shared.d + group * kGroupRows * kRowStride);
      });
#pragma unroll
  for (int i = 0; i < 16; i += 2) {
    const uint32_t to_input = first_input + Tile::row(i), to_unit = first_unit + Tile::column(i);
    if (to_input <= plan.inputs && to_unit < plan.hidden)
      *reinterpret_cast<float2*>(plan.gradient + size_t{to_input} * plan.hidden + to_unit) =
          float2{sum.x[i], sum.x[i + 1]};
  }
}

}  // namespace

void fast_dense_gradient(const Stream& stream, const FastDenseGradient& plan) {
  launch_after(stream, false, dense_gradient,
               dim3(blocks_for(plan.inputs + 1, kTile), blocks_for(plan.hidden, kTile)), kFastThreads,
               sizeof(Shared), plan);
}

}  // namespace trainer::cuda
