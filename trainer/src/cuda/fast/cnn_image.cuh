#pragma once

#include "cuda/convolution.cuh"
#include "cuda/fast/cnn_kernels.h"
#include "cuda/fast/warp_tile.cuh"

/// The operations of a block on an image of the cnn in shared memory.
namespace trainer::cuda {

/// Pixels of the image and of the planes of both convolutions, and windows of the pooling.
constexpr uint32_t kPixels = kFastSide * kFastSide, kFirstSide = kFastSide - 2, kSecondSide = kFastSide - 4,
                   kFirstPixels = kFirstSide * kFirstSide, kSecondPixels = kSecondSide * kSecondSide,
                   kWindowsAcross = kSecondSide / 2, kWindows = kWindowsAcross * kWindowsAcross;
constexpr uint32_t kFirstPlanes = 32, kSecondPlanes = 64;
constexpr uint32_t kFirstParameters = (kTaps + 1) * kFirstPlanes, kSecondRows = kTaps * kFirstPlanes;

/// The distances between the channels of neighboring pixels, and between the columns of the weights. They
/// place the rows that ldmatrix loads at the same time into different banks.
constexpr uint32_t kFirstStride = kFirstPlanes + 8, kSecondStride = kSecondPlanes + 8;

using Bf16 = __nv_bfloat16;

/// The part of an image that one of `kThreads` threads loads ahead of its use.
template <uint32_t kThreads>
struct NextPixels {
  static constexpr uint32_t kAll = kPixels / 4, kEach = (kAll + kThreads - 1) / kThreads;
  float4 fours[kEach];

  __device__ void load(const float* pixels, uint32_t row, bool exists) {
#pragma unroll
    for (uint32_t n = 0; n < kEach; ++n) {
      const uint32_t i = n * kThreads + threadIdx.x;
      if (exists && i < kAll)
        fours[n] = *reinterpret_cast<const float4*>(pixels + size_t{row} * kPixels + 4 * i);
    }
  }
  __device__ void store(float* image) const {
#pragma unroll
    for (uint32_t n = 0; n < kEach; ++n) {
      const uint32_t i = n * kThreads + threadIdx.x;
      if (i < kAll) *reinterpret_cast<float4*>(image + 4 * i) = fours[n];
    }
  }
};

/// Copies the weights and biases of the first convolution.
__device__ inline void load_first_weights(const float* from, float* to) {
  for (uint32_t i = threadIdx.x; i < kFirstParameters / 4; i += blockDim.x)
    *reinterpret_cast<float4*>(to + 4 * i) = *reinterpret_cast<const float4*>(from + 4 * i);
}

/// Copies the weights of the second convolution, a row for each tap and channel.
__device__ inline void load_second_weights(const float* from, Bf16* to) {
  constexpr uint32_t kAcross = kSecondPlanes / 4;
  for (uint32_t i = threadIdx.x; i < kSecondRows * kAcross; i += blockDim.x) {
    const float4 w = *reinterpret_cast<const float4*>(from + 4 * i);
    *reinterpret_cast<FourFactors<Precision::bf16>*>(to + i / kAcross * kSecondStride + i % kAcross * 4) =
        four_factors<Precision::bf16>(w.x, w.y, w.z, w.w);
  }
}

/// planes = max(image * W + bias, 0): the first convolution, in fp32, rounded at the end. A thread computes
/// four channels of some pixels. `place` returns where in `planes` a pixel's channels are.
template <typename Place>
__device__ void convolve_first(const float* image, const float* weights, Bf16* planes, const Place& place) {
  const uint32_t channel = threadIdx.x % 8 * 4;
  float4 w[kTaps + 1];
#pragma unroll
  for (uint32_t tap = 0; tap <= kTaps; ++tap)
    w[tap] = *reinterpret_cast<const float4*>(weights + tap * kFirstPlanes + channel);
  for (uint32_t pixel = threadIdx.x / 8; pixel < kFirstPixels; pixel += blockDim.x / 8) {
    const float* from = image + pixel / kFirstSide * kFastSide + pixel % kFirstSide;
    float4 sum{0, 0, 0, 0};
#pragma unroll
    for (uint32_t tap = 0; tap < kTaps; ++tap) {
      const float x = from[tap / 3 * kFastSide + tap % 3];
      sum.x += x * w[tap].x, sum.y += x * w[tap].y, sum.z += x * w[tap].z, sum.w += x * w[tap].w;
    }
    const auto rectified = [](float a, float bias) { return a + bias > 0 ? a + bias : 0.0f; };
    const float4& bias = w[kTaps];
    *reinterpret_cast<FourFactors<Precision::bf16>*>(planes + place(pixel) + channel) =
        four_factors<Precision::bf16>(rectified(sum.x, bias.x), rectified(sum.y, bias.y),
                                      rectified(sum.z, bias.z), rectified(sum.w, bias.w));
  }
}

/// The part of an image's pooled gradients that one of `kThreads` threads loads ahead: eight channels of some
/// windows.
template <uint32_t kThreads>
struct NextGradients {
  static constexpr uint32_t kAll = kWindows * kSecondPlanes / 8, kEach = (kAll + kThreads - 1) / kThreads;

  uint4 gradients[kEach];  ///< eight numbers in bf16
  uint32_t which[kEach];   ///< four bits for each number; see FastCnnForward

  /// Whether there is an n-th part.
  static __device__ bool is_part(uint32_t n) {
    return kAll % kThreads == 0 || n * kThreads + threadIdx.x < kAll;
  }
  __device__ void load(const FastCnnBackward& plan, uint32_t row, bool exists) {
    if (!exists) return;
#pragma unroll
    for (uint32_t n = 0; n < kEach; ++n) {
      if (!is_part(n)) continue;
      const size_t at = size_t{row} * kAll + n * kThreads + threadIdx.x;
      gradients[n] = reinterpret_cast<const uint4*>(plan.pooled_gradients)[at];
      which[n] = reinterpret_cast<const uint32_t*>(plan.which)[at];
    }
  }

  /// The word of pooled gradients with number `pair` of window `n`, with zeros where element `q` of the
  /// window was not the largest.
  __device__ uint32_t unpooled(uint32_t n, uint32_t pair, uint32_t q) const {
    const uint32_t words[4] = {gradients[n].x, gradients[n].y, gradients[n].z, gradients[n].w};
    const uint32_t of_pair = which[n] >> 8 * pair;
    const uint32_t kept = ((of_pair & 15) == q ? 0xffffu : 0) | ((of_pair >> 4 & 15) == q ? 0xffff0000u : 0);
    return words[pair] & kept;
  }

  /// Adds the gradients of each channel's bias.
  __device__ void add_to(float (&bias)[8]) const {
#pragma unroll
    for (uint32_t n = 0; n < kEach; ++n) {
      if (!is_part(n)) continue;
      const uint32_t words[4] = {gradients[n].x, gradients[n].y, gradients[n].z, gradients[n].w};
#pragma unroll
      for (uint32_t i = 0; i < 8; ++i) {
        const float value = __uint_as_float(i % 2 ? words[i / 2] & 0xffff0000u : words[i / 2] << 16);
        bias[i] += (which[n] >> 4 * i & 15) == kNone ? 0.0f : value;
      }
    }
  }

  /// Stores the gradients of all elements of the windows. The second convolution's planes begin at `planes`
  /// and have `across` pixels in a row.
  __device__ void unpool(Bf16* planes, uint32_t across) const {
#pragma unroll
    for (uint32_t n = 0; n < kEach; ++n) {
      if (!is_part(n)) continue;
      const uint32_t window = n * (kThreads / 8) + threadIdx.x / 8;
      const uint32_t row = window / kWindowsAcross * 2, column = window % kWindowsAcross * 2;
#pragma unroll
      for (uint32_t q = 0; q < 4; ++q) {
        Bf16* to = planes + ((row + q / 2) * across + column + q % 2) * kSecondStride + threadIdx.x % 8 * 8;
        *reinterpret_cast<uint4*>(to) =
            uint4{unpooled(n, 0, q), unpooled(n, 1, q), unpooled(n, 2, q), unpooled(n, 3, q)};
      }
    }
  }
};

}  // namespace trainer::cuda
