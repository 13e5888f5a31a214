#include "cuda/fast/cnn_image.cuh"
#include "cuda/fast/fits.h"
#include "cuda/fast/launch.h"
#include "cuda/fast/mlp_kernels.h"

namespace trainer::cuda {

namespace {

/// A warp computes the gradient of 96 pixels of the first planes, 16 at a time. The last of these pixels are
/// beyond the planes, and are ignored.
constexpr uint32_t kPairs = 6, kEach = 16 * kPairs, kTiles = 2 * kPairs, kWarps = 8, kThreads = 32 * kWarps,
                   kMost = kEach * kWarps;
static_assert(kMost >= kFirstPixels);
/// The gradients of the second planes have a border of two pixels with the value 0.
constexpr uint32_t kAcross = kSecondSide + 4;

struct alignas(16) Shared {
  Bf16 weights[kSecondRows * kSecondStride], gradients[kAcross * kAcross * kSecondStride];
  float image[kPixels];
  uint32_t positive[kMost];
};
static_assert(sizeof(Shared) <= kFastCnnShared);
static_assert(kWarps * kFirstParameters * sizeof(float) <= sizeof Shared::gradients);

/// The gradient of a warp's pixels of the first planes, before their ReLU: 32 channels x 96 pixels.
__device__ void multiply_image(const Shared& shared, const uint32_t (&places)[kPairs],
                               float (&sum)[2][kTiles][4]) {
  const uint32_t lane = threadIdx.x % 32, matrix = lane / 8, k = lane % 8;
  const Bf16* a = shared.weights + (matrix % 2 * 8 + k) * kSecondStride + matrix / 2 * 8;
#pragma unroll 1
  for (uint32_t tap = 0; tap < kTaps; ++tap, a += kFirstPlanes * kSecondStride) {
    const uint32_t back = (tap / 3 * kAcross + tap % 3) * kSecondStride;
#pragma unroll
    for (uint32_t step = 0; step < kSecondPlanes; step += 16) {
      uint32_t left[2][4], right[4];
#pragma unroll
      for (uint32_t i = 0; i < 2; ++i) load_matrices(left[i], a + 16 * i * kSecondStride + step);
#pragma unroll
      for (uint32_t pair = 0; pair < kPairs; ++pair) {
        load_matrices(right, shared.gradients + places[pair] - back + step);
#pragma unroll
        for (uint32_t i = 0; i < 4; ++i)
          multiply_bf16(sum[i / 2][2 * pair + i % 2], left[i / 2], right + i % 2 * 2);
      }
    }
  }
}

/// The pixel under tap `tap` for a pixel of the first planes, as a byte; 255 under tap 9, which is the bias.
__device__ float byte_under(const float* image, uint32_t pixel, uint32_t tap) {
  if (tap >= kTaps) return tap == kTaps ? kWhite : 0.0f;
  if (pixel >= kFirstPixels) return 0;
  return image[pixel + pixel / kFirstSide * 2 + tap / 3 * kFastSide + tap % 3] * kWhite;
}

/// Applies the ReLU of the first planes, and adds the products of their gradient with the image's pixels to
/// `total`: 32 channels x 16 taps, of which 10 exist. Lanes hold sums as they hold left factors, two pixels
/// in a word. Two numbers in bf16 represent a gradient more exactly than one.
__device__ void add_taps(const Shared& shared, const float (&sum)[2][kTiles][4], float (&total)[2][2][4]) {
  const uint32_t lane = threadIdx.x % 32, g = lane / 4;
  uint32_t first = threadIdx.x / 32 * kEach + lane % 4 * 2;
  // Prevents the compiler from keeping the offsets of all pixels in registers.
  asm volatile("" : "+r"(first));
#pragma unroll
  for (uint32_t pair = 0; pair < kPairs; ++pair) {
    uint32_t high[2][4], low[2][4], right[2][2];
#pragma unroll
    for (uint32_t half = 0; half < 2; ++half) {
      const uint32_t pixel = first + pair * 16 + half * 8;
      const uint32_t positive[2] = {shared.positive[pixel], shared.positive[pixel + 1]};
#pragma unroll
      for (uint32_t i = 0; i < 4; ++i) {  // i / 2 selects 16 channels, and i % 2 the lower or upper 8 of them
        const uint32_t channel = i / 2 * 16 + i % 2 * 8 + g;
        const float* two = sum[i / 2][2 * pair + half] + i % 2 * 2;
        const float a = positive[0] >> channel & 1 ? two[0] : 0.0f,
                    b = positive[1] >> channel & 1 ? two[1] : 0.0f;
        const uint32_t word = pack_bf16(a, b);
        high[i / 2][half * 2 + i % 2] = word;
        low[i / 2][half * 2 + i % 2] =
            pack_bf16(a - __uint_as_float(word << 16), b - __uint_as_float(word & 0xffff0000u));
      }
#pragma unroll
      for (uint32_t n = 0; n < 2; ++n)
        right[n][half] = pack_bf16(byte_under(shared.image, pixel, n * 8 + g),
                                   byte_under(shared.image, pixel + 1, n * 8 + g));
    }
#pragma unroll
    for (uint32_t i = 0; i < 4; ++i) {
      multiply_bf16(total[i / 2][i % 2], high[i / 2], right[i % 2]);
      multiply_bf16(total[i / 2][i % 2], low[i / 2], right[i % 2]);
    }
  }
}

__global__ void __launch_bounds__(kThreads, 1) first_gradient(const FastCnnBackward plan) {
  Shared& shared = *reinterpret_cast<Shared*>(shared_memory());
  const uint32_t first = plan.parts.first_row(blockIdx.x), last = plan.parts.last_row(blockIdx.x);
  const uint32_t lane = threadIdx.x % 32, matrix = lane / 8;
  load_second_weights(plan.second, shared.weights);
  for (uint32_t i = threadIdx.x; i < sizeof shared.gradients / (sizeof(uint4)); i += kThreads)
    reinterpret_cast<uint4*>(shared.gradients)[i] = uint4{0, 0, 0, 0};
  for (uint32_t i = threadIdx.x; i < kMost; i += kThreads) shared.positive[i] = 0;
  uint32_t places[kPairs];  // the offsets, for tap 0, of the gradients that this lane loads
#pragma unroll
  for (uint32_t pair = 0; pair < kPairs; ++pair) {
    uint32_t pixel = threadIdx.x / 32 * kEach + pair * 16 + matrix / 2 * 8 + lane % 8;
    if (pixel >= kFirstPixels) pixel = 0;
    places[pair] =
        ((pixel / kFirstSide + 2) * kAcross + pixel % kFirstSide + 2) * kSecondStride + matrix % 2 * 8;
  }
  NextPixels<kThreads> pixels;
  NextGradients<kThreads> gradients;
  pixels.load(plan.pixels, first, first < last);
  gradients.load(plan, first, first < last);
  float total[2][2][4] = {};
  for (uint32_t row = first; row < last; ++row) {
    __syncthreads();
    pixels.store(shared.image);
    gradients.unpool(shared.gradients + (2 * kAcross + 2) * kSecondStride, kAcross);
    for (uint32_t i = threadIdx.x; i < kFirstPixels; i += kThreads)
      shared.positive[i] = plan.positive[size_t{row} * kFirstPixels + i];
    pixels.load(plan.pixels, row + 1, row + 1 < last);
    gradients.load(plan, row + 1, row + 1 < last);
    __syncthreads();
    float sum[2][kTiles][4] = {};
    multiply_image(shared, places, sum);
    add_taps(shared, sum, total);
  }

  auto* of_warps = reinterpret_cast<float*>(shared.gradients);
  __syncthreads();
#pragma unroll
  for (uint32_t i = 0; i < 16; ++i) {
    const uint32_t channel = i / 8 * 16 + i / 2 % 2 * 8 + lane / 4,
                   tap = i / 4 % 2 * 8 + lane % 4 * 2 + i % 2;
    if (tap <= kTaps)
      of_warps[threadIdx.x / 32 * kFirstParameters + tap * kFirstPlanes + channel] =
          total[i / 8][i / 4 % 2][i % 4];
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < kFirstParameters; i += kThreads) {
    float value = 0;
    for (uint32_t warp = 0; warp < kWarps; ++warp) value += of_warps[warp * kFirstParameters + i];
    plan.first_parts[size_t{blockIdx.x} * kFirstParameters + i] = value * (1 / kWhite);
  }
}

}  // namespace

void fast_first_gradient(const Stream& stream, const FastCnnBackward& plan, uint32_t parts) {
  launch_after(stream, false, first_gradient, parts, kThreads, sizeof(Shared), plan);
}

}  // namespace trainer::cuda
