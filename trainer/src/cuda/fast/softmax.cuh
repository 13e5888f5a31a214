#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/fast/fits.h"

namespace trainer::cuda {

/// The logits of a row that each warp of a block has added up.
using LogitsOfWarps = float[8][kFastClasses];

/// Softmax and cross-entropy of a row, by a block. `logits` are the products of this thread's four hidden
/// values: adds up those of a warp, then the warps and the bias. `gradient` becomes the gradient of the mean
/// loss, in which this row has the weight `share`. Returns the loss; every thread gets the same results.
__device__ inline float softmax_of_row(float (&logits)[kFastClasses], LogitsOfWarps& of_warps, uint32_t warps,
                                       const float* bias, uint32_t label, float share,
                                       float (&gradient)[kFastClasses]) {
  constexpr int kClasses = kFastClasses, kWarp = 32;
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
#pragma unroll
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
      logits[c] += __shfl_xor_sync(~0u, logits[c], distance);
    if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp][c] = logits[c];
  }
  __syncthreads();
#pragma unroll
  for (int c = 0; c < kClasses; ++c) logits[c] = bias[c];
#pragma unroll 1
  for (uint32_t warp = 0; warp < warps; ++warp) {
#pragma unroll
    for (int c = 0; c < kClasses; ++c) logits[c] += of_warps[warp][c];
  }
  float largest = logits[0], sum = 0, of_label = 0;
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    if (logits[c] > largest) largest = logits[c];
    if (static_cast<uint32_t>(c) == label) of_label = logits[c];
  }
#pragma unroll
  for (int c = 0; c < kClasses; ++c) sum += gradient[c] = std::exp(logits[c] - largest);
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    const float wanted = static_cast<uint32_t>(c) == label ? 1.0f : 0.0f;
    gradient[c] = (gradient[c] * (1 / sum) - wanted) * share;
  }
  return std::log(sum) - (of_label - largest);
}

}  // namespace trainer::cuda
