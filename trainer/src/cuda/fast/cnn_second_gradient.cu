#include "cuda/fast/cnn_image.cuh"
#include "cuda/fast/fits.h"
#include "cuda/fast/launch.h"

namespace trainer::cuda {

namespace {

/// A warp computes 48 rows (16 channels of a tap at a time) and 32 columns of the gradient. With twelve
/// warps, each of a multiprocessor's four parts has three.
constexpr uint32_t kDown = 3, kTiles = 4, kAcross = kSecondPlanes / 8 / kTiles, kWarps = 12,
                   kThreads = 32 * kWarps;
static_assert(kWarps / kAcross * kDown * 16 == kSecondRows);
/// The pixels of two rows of planes. A warp multiplies 16 of them at a time.
constexpr uint32_t kStep = 16, kSteps = 2 * kSecondSide / kStep;
static_assert(kSteps * kStep == 2 * kSecondSide && kSecondSide % 8 == 0);

struct alignas(16) Shared {
  Bf16 planes[kFirstPixels * kFirstStride], gradients[kSecondPixels * kSecondStride];
  float image[kPixels], first[kFirstParameters];
};
static_assert(sizeof(Shared) <= kFastCnnShared);

/// The first row, and the first column, of a warp's part.
__device__ uint32_t first_row() {
  return threadIdx.x / 32 / kAcross * kDown * 16;
}
__device__ uint32_t first_column() {
  return threadIdx.x / 32 % kAcross * kTiles * 8;
}

/// Adds an image's share of the gradient.
__device__ void multiply_image(const Shared& shared, float (&sum)[kDown][kTiles][4]) {
  const uint32_t lane = threadIdx.x % 32, matrix = lane / 8, k = lane % 8;
  uint32_t under[kDown];  // a tap and its channels
#pragma unroll
  for (uint32_t i = 0; i < kDown; ++i) {
    const uint32_t row = first_row() + 16 * i, tap = row / kFirstPlanes;
    under[i] = (tap / 3 * kFirstSide + tap % 3) * kFirstStride + row % kFirstPlanes;
  }
  // Pixels are in runs of eight that are in the same row of the planes.
  uint32_t places[kSteps];
#pragma unroll
  for (uint32_t step = 0; step < kSteps; ++step) {
    const uint32_t pixel = step * kStep + matrix / 2 * 8;
    places[step] =
        (pixel / kSecondSide * kFirstSide + pixel % kSecondSide + k) * kFirstStride + matrix % 2 * 8;
  }
  const Bf16* a = shared.planes;
  const Bf16* b = shared.gradients + (matrix % 2 * 8 + k) * kSecondStride + first_column() + matrix / 2 * 8;
#pragma unroll 1
  for (uint32_t row = 0; row < kSecondSide; row += 2) {
#pragma unroll
    for (uint32_t step = 0; step < kSteps; ++step) {
      uint32_t left[kDown][4], right[kTiles / 2][4];
#pragma unroll
      for (uint32_t i = 0; i < kDown; ++i) load_transposed(left[i], a + places[step] + under[i]);
#pragma unroll
      for (uint32_t n = 0; n < kTiles / 2; ++n)
        load_transposed(right[n], b + step * kStep * kSecondStride + n * 16);
#pragma unroll
      for (uint32_t i = 0; i < kDown; ++i) {
#pragma unroll
        for (uint32_t n = 0; n < kTiles; ++n) multiply_bf16(sum[i][n], left[i], right[n / 2] + n % 2 * 2);
      }
    }
    a += 2 * kFirstSide * kFirstStride;
    b += 2 * kSecondSide * kSecondStride;
  }
}

__global__ void __launch_bounds__(kThreads, 1) second_gradient(const FastCnnBackward plan) {
  Shared& shared = *reinterpret_cast<Shared*>(shared_memory());
  const uint32_t first = plan.parts.first_row(blockIdx.x), last = plan.parts.last_row(blockIdx.x);
  load_first_weights(plan.first, shared.first);
  NextPixels<kThreads> pixels;
  NextGradients<kThreads> gradients;
  pixels.load(plan.pixels, first, first < last);
  gradients.load(plan, first, first < last);
  float sum[kDown][kTiles][4] = {}, bias[8] = {};
  for (uint32_t row = first; row < last; ++row) {
    __syncthreads();
    pixels.store(shared.image);
    gradients.unpool(shared.gradients, kSecondSide);
    gradients.add_to(bias);
    pixels.load(plan.pixels, row + 1, row + 1 < last);
    gradients.load(plan, row + 1, row + 1 < last);
    __syncthreads();
    convolve_first(shared.image, shared.first, shared.planes,
                   [](uint32_t pixel) { return pixel * kFirstStride; });
    __syncthreads();
    multiply_image(shared, sum);
  }

  const uint32_t lane = threadIdx.x % 32;
  float* out = plan.second_parts + size_t{blockIdx.x} * (kSecondRows + 1) * kSecondPlanes;
#pragma unroll
  for (uint32_t i = 0; i < kDown; ++i) {
#pragma unroll
    for (uint32_t n = 0; n < 2 * kTiles; ++n) {  // two of the four sums of a tile are neighbors
      const float* two = sum[i][n / 2] + n % 2 * 2;
      const uint32_t row = first_row() + 16 * i + n % 2 * 8 + lane / 4,
                     column = first_column() + n / 2 * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(out + row * kSecondPlanes + column) = float2{two[0], two[1]};
    }
  }
  // Each thread has the biases of eight channels for some windows.
  auto* biases = reinterpret_cast<float*>(shared.gradients);
  __syncthreads();
#pragma unroll
  for (uint32_t i = 0; i < 8; ++i)
    biases[threadIdx.x / 8 * kSecondPlanes + threadIdx.x % 8 * 8 + i] = bias[i];
  __syncthreads();
  if (threadIdx.x >= kSecondPlanes) return;
  float total = 0;
  for (uint32_t i = 0; i < kThreads / 8; ++i) total += biases[i * kSecondPlanes + threadIdx.x];
  out[kSecondRows * kSecondPlanes + threadIdx.x] = total;
}

}  // namespace

void fast_second_gradient(const Stream& stream, const FastCnnBackward& plan, uint32_t parts) {
  launch_after(stream, false, second_gradient, parts, kThreads, sizeof(Shared), plan);
}

}  // namespace trainer::cuda
