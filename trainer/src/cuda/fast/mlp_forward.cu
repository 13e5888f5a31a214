#include "cuda/fast/launch.h"
#include "cuda/fast/mlp_kernels.h"
#include "cuda/fast/warp_tile.cuh"

namespace trainer::cuda {

namespace {

constexpr uint32_t kLoaded = 16;  ///< how many pixels a thread loads at a time
constexpr uint32_t kStripes = kFastThreads / kTile, kPixelLoads = kForwardDepth / kLoaded / kStripes + 1;

template <Precision precision>
constexpr size_t kForwardBytes = 2 * kForwardDepth* kRowStride * sizeof(typename Factor<precision>::Stored);

template <Precision precision>
__global__ void __launch_bounds__(kFastThreads) forward(const FastForward plan) {
  using Tile = WarpTile<precision>;
  auto* a = reinterpret_cast<typename Tile::Stored*>(shared_memory());
  auto* b = a + kForwardDepth * kRowStride;
  const uint32_t first_row = blockIdx.x * kTile, first_column = blockIdx.y * kTile;
  const uint32_t begin = blockIdx.z * plan.depth,
                 end = begin + plan.depth < plan.x.pixels ? begin + plan.depth : plan.x.pixels;
  const uint32_t row = threadIdx.x % kTile, stripe = threadIdx.x / kTile;
  const bool has_row = first_row + row < plan.x.rows;
  const uint8_t* image =
      has_row ? plan.x.images + size_t{plan.x.examples[first_row + row]} * plan.x.pixels : plan.x.images;

  Tile sum;
  sum.clear();
  for (uint32_t first = begin; first < end; first += kForwardDepth) {
    uint4 bytes[kPixelLoads];
#pragma unroll
    for (uint32_t i = 0; i < kPixelLoads; ++i) {
      const uint32_t at = (stripe + kStripes * i) * kLoaded;
      const bool inside = has_row && at < kForwardDepth && first + at < end;
      bytes[i] = inside ? *reinterpret_cast<const uint4*>(image + first + at) : uint4{0, 0, 0, 0};
    }
    wait_for_previous();
    start_next();
    constexpr uint32_t kWeightLoads = kForwardDepth * kTile / 4 / kFastThreads;
    const uint32_t depth = threadIdx.x / 16, column = threadIdx.x % 16 * 4;
    float4 weights[kWeightLoads];
#pragma unroll
    for (uint32_t i = 0; i < kWeightLoads; ++i) {
      const uint32_t k = first + depth + 16 * i;
      const bool inside = k < end && first_column + column < plan.hidden;
      weights[i] = inside ? __ldcg(reinterpret_cast<const float4*>(plan.weights + size_t{k} * plan.hidden +
                                                                   first_column + column))
                          : float4{0, 0, 0, 0};
    }
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < kPixelLoads; ++i) {
      const uint32_t at = (stripe + kStripes * i) * kLoaded;
      if (at >= kForwardDepth) continue;
      const uint32_t words[4] = {bytes[i].x, bytes[i].y, bytes[i].z, bytes[i].w};
#pragma unroll
      for (uint32_t k = 0; k < kLoaded; ++k)
        a[(at + k) * kRowStride + row] = Factor<precision>::from(byte_of(words[k / 4], k % 4));
    }
#pragma unroll
    for (uint32_t i = 0; i < kWeightLoads; ++i) {
      const float4& w = weights[i];
      *reinterpret_cast<FourFactors<precision>*>(b + (depth + 16 * i) * kRowStride + column) =
          four_factors<precision>(w.x, w.y, w.z, w.w);
    }
    __syncthreads();
#pragma unroll
    for (uint32_t k = 0; k < kForwardDepth; k += 16) sum.add(a + k * kRowStride, b + k * kRowStride);
  }
#pragma unroll
  for (int i = 0; i < 16; i += 2) {
    const uint32_t to_row = first_row + Tile::row(i), to_column = first_column + Tile::column(i);
    if (to_row >= plan.x.rows || to_column >= plan.hidden) continue;
    const float2 scaled{sum.x[i] * (1 / kWhite), sum.x[i + 1] * (1 / kWhite)};
    const size_t at = (size_t{blockIdx.z} * plan.x.rows + to_row) * plan.hidden + to_column;
    *reinterpret_cast<float2*>(plan.out + at) = scaled;
  }
}

}  // namespace

template <Precision precision>
void fast_forward(const Stream& stream, bool overlap, const FastForward& plan) {
  launch_after(stream, overlap, forward<precision>,
               dim3(blocks_for(plan.x.rows, kTile), blocks_for(plan.hidden, kTile), plan.parts), kFastThreads,
               kForwardBytes<precision>, plan);
}
template void fast_forward<Precision::fp32>(const Stream&, bool, const FastForward&);
template void fast_forward<Precision::tf32>(const Stream&, bool, const FastForward&);
template void fast_forward<Precision::bf16>(const Stream&, bool, const FastForward&);

}  // namespace trainer::cuda
