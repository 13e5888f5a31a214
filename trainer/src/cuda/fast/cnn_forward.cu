#include "cuda/fast/cnn_image.cuh"
#include "cuda/fast/fits.h"
#include "cuda/fast/launch.h"

namespace trainer::cuda {

namespace {

constexpr uint32_t kWarps = 6, kThreads = 32 * kWarps;
constexpr uint32_t kBlocks = 264;  ///< two for each multiprocessor of an H100
constexpr uint32_t kGroup = 8;     ///< how many windows a warp computes at a time
constexpr uint32_t kTiles = kSecondPlanes / 8;

/// A row of the first planes: its even columns, a gap, its odd columns, and a gap. A group's windows are two
/// columns apart, so their pixels are neighbors here. With these gaps, `ldmatrix` loads them from different
/// banks, even where a group continues in the next row of windows. Two neighboring pixels are stored to
/// different banks.
constexpr uint32_t kOddColumns = kFirstSide / 2 * kFirstStride + 24, kRowStride = 2 * kOddColumns - 16;
static_assert(kOddColumns * sizeof(Bf16) % 128 == 64 && kRowStride * sizeof(Bf16) % 64 == 32);

/// The offset of a column's channels from the start of its row.
__host__ __device__ constexpr uint32_t place_in_row(uint32_t column) {
  return column % 2 * kOddColumns + column / 2 * kFirstStride;
}
__device__ uint32_t place_of(uint32_t pixel) {
  return pixel / kFirstSide * kRowStride + place_in_row(pixel % kFirstSide);
}

struct alignas(16) Shared {
  Bf16 weights[kSecondRows * kSecondStride], planes[kFirstSide * kRowStride];
  float image[kPixels], first[kFirstParameters], bias[kSecondPlanes];
};
static_assert(sizeof(Shared) <= kFastCnnShared);

/// Computes a warp's sums for the windows of a group: 2 x 16 pixels, all channels. Lane 4 g + t has window g.
/// Its elements 0 and 1 are in the rows of the first 16 pixels, elements 2 and 3 in those of the second.
__device__ void multiply_group(const Shared& shared, uint32_t group, float (&sum)[2][kTiles][4]) {
  const uint32_t lane = threadIdx.x % 32, matrix = lane / 8, k = lane % 8, window = group * kGroup + k;
  const Bf16* a = shared.planes + window / kWindowsAcross * 2 * kRowStride +
                  window % kWindowsAcross * kFirstStride + matrix / 2 * 8;
  uint32_t columns[3];  // the offsets of the columns under the three taps of a row
#pragma unroll
  for (uint32_t i = 0; i < 3; ++i) columns[i] = place_in_row(matrix % 2 + i);
  const Bf16* b = shared.weights + (matrix % 2 * 8 + k) * kSecondStride + matrix / 2 * 8;
#pragma unroll
  for (uint32_t step = 0; step < kTaps * 2; ++step) {
    const uint32_t tap = step / 2, half = step % 2 * 16;
    uint32_t left[2][4], right[4];
#pragma unroll
    for (uint32_t i = 0; i < 2; ++i)
      load_matrices(left[i], a + (i + tap / 3) * kRowStride + columns[tap % 3] + half);
#pragma unroll
    for (uint32_t n = 0; n < kTiles; n += 2) {
      load_transposed(right, b + step * 16 * kSecondStride + n * 8);
#pragma unroll
      for (uint32_t i = 0; i < 4; ++i) multiply_bf16(sum[i / 2][n + i % 2], left[i / 2], right + i % 2 * 2);
    }
  }
}

/// Pools the windows of a group, adds the biases, and applies ReLU.
__device__ void store_group(const FastCnnForward& plan, const Shared& shared, uint32_t row, uint32_t group,
                            const float (&sum)[2][kTiles][4]) {
  const uint32_t lane = threadIdx.x % 32;
  const size_t at = (size_t{row} * kWindows + group * kGroup + lane / 4) * kSecondPlanes + lane % 4 * 2;
#pragma unroll
  for (uint32_t n = 0; n < kTiles; ++n) {
    float value[2];
    uint32_t which = 0;
#pragma unroll
    for (uint32_t i = 0; i < 2; ++i) {
      value[i] = sum[0][n][i];
      uint32_t best = 0;
#pragma unroll
      for (uint32_t q = 1; q < 4; ++q) {
        const float other = sum[q / 2][n][q % 2 * 2 + i];
        if (other > value[i]) value[i] = other, best = q;
      }
      value[i] += shared.bias[n * 8 + lane % 4 * 2 + i];
      which |= (value[i] > 0 ? best : kNone) << 4 * i;
      if (!(value[i] > 0)) value[i] = 0;
    }
    *reinterpret_cast<uint32_t*>(plan.pooled + at + n * 8) = pack_bf16(value[0], value[1]);
    plan.which[(at + n * 8) / 2] = static_cast<uint8_t>(which);
  }
}

/// A bit for each of the two numbers of a word that is not 0.
__device__ uint32_t positive(uint32_t word) {
  return (word & 0xffff ? 1u : 0) | (word >> 16 ? 2u : 0);
}

__global__ void __launch_bounds__(kThreads, 2) convolve(const FastCnnForward plan) {
  Shared& shared = *reinterpret_cast<Shared*>(shared_memory());
  load_first_weights(plan.first, shared.first);
  load_second_weights(plan.second, shared.weights);
  if (threadIdx.x < kSecondPlanes)
    shared.bias[threadIdx.x] = plan.second[kSecondRows * kSecondPlanes + threadIdx.x];
  NextPixels<kThreads> next;
  next.load(plan.pixels, blockIdx.x, blockIdx.x < plan.rows);
  for (uint32_t row = blockIdx.x; row < plan.rows; row += gridDim.x) {
    next.store(shared.image);
    __syncthreads();
    convolve_first(shared.image, shared.first, shared.planes, [](uint32_t pixel) { return place_of(pixel); });
    next.load(plan.pixels, row + gridDim.x, row + gridDim.x < plan.rows);
    __syncthreads();
    for (uint32_t pixel = threadIdx.x; pixel < kFirstPixels; pixel += kThreads) {
      const auto* fours = reinterpret_cast<const uint4*>(shared.planes + place_of(pixel));
      uint32_t bits = 0;
#pragma unroll
      for (uint32_t i = 0; i < kFirstPlanes / 8; ++i) {
        const uint4 four = fours[i];
        bits |= (positive(four.x) | positive(four.y) << 2 | positive(four.z) << 4 | positive(four.w) << 6)
                << 8 * i;
      }
      plan.positive[size_t{row} * kFirstPixels + pixel] = bits;
    }
    for (uint32_t group = threadIdx.x / 32; group < kWindows / kGroup; group += kWarps) {
      float sum[2][kTiles][4] = {};
      multiply_group(shared, group, sum);
      store_group(plan, shared, row, group, sum);
    }
  }
}

}  // namespace

void fast_convolve(const Stream& stream, const FastCnnForward& plan) {
  launch_after(stream, false, convolve, plan.rows < kBlocks ? plan.rows : kBlocks, kThreads, sizeof(Shared),
               plan);
}

}  // namespace trainer::cuda
