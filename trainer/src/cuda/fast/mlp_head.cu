#include <cmath>

#include "cuda/fast/fits.h"
#include "cuda/fast/instructions.cuh"
#include "cuda/fast/launch.h"
#include "cuda/fast/mlp_kernels.h"
#include "cuda/fast/softmax.cuh"

namespace trainer::cuda {

namespace {

constexpr int kClasses = kFastClasses, kEach = 4;  ///< the number of hidden values of a thread
constexpr unsigned kWarp = 32, kMostWarps = 1024 / kEach / kWarp;

__device__ float4 load_four(const float* from) {
  return __ldcg(reinterpret_cast<const float4*>(from));
}

/// A block computes a row. The weights of a thread's hidden values stay in its registers.
__global__ void __launch_bounds__(kMostWarps* kWarp) head(const FastHead plan) {
  alignas(8) __shared__ LogitsOfWarps of_warps;
  const uint32_t row = blockIdx.x, first = threadIdx.x * kEach;
  const bool inside = first < plan.hidden;
  const size_t at = size_t{row} * plan.hidden + first;

  float weights[kEach * kClasses], bias[kClasses];
#pragma unroll
  for (int i = 0; i < kClasses; ++i) {
    const float4 four =
        inside ? load_four(plan.head_weights + size_t{first} * kClasses + 4 * i) : float4{0, 0, 0, 0};
    weights[4 * i] = four.x, weights[4 * i + 1] = four.y, weights[4 * i + 2] = four.z,
                weights[4 * i + 3] = four.w;
    bias[i] = __ldcg(plan.head_bias + i);
  }
  const float4 hidden_bias = inside ? load_four(plan.bias + first) : float4{0, 0, 0, 0};
  const uint32_t label = plan.x.labels[plan.x.examples[row]];
  float factor[kEach];  // the dropout's factors
  plan.dropout.four(row, first, factor);
  wait_for_previous();
  start_next();

  float value[kEach] = {};
  if (inside) {
    float4 sum = load_four(plan.parts + at);
    for (uint32_t part = 1; part < plan.parts_count; ++part) {
      const float4 more = load_four(plan.parts + size_t{part} * plan.x.rows * plan.hidden + at);
      sum.x += more.x, sum.y += more.y, sum.z += more.z, sum.w += more.w;
    }
    value[0] = sum.x + hidden_bias.x, value[1] = sum.y + hidden_bias.y;
    value[2] = sum.z + hidden_bias.z, value[3] = sum.w + hidden_bias.w;
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i) value[i] = value[i] > 0 ? value[i] * factor[i] : 0.0f;

  float logit[kClasses];
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    logit[c] = 0;
#pragma unroll
    for (int i = 0; i < kEach; ++i) logit[c] += value[i] * weights[i * kClasses + c];
  }
  float gradient[kClasses];
  const float loss = softmax_of_row(logit, of_warps, blockDim.x / kWarp, bias, label, plan.share, gradient);
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    if (threadIdx.x == static_cast<unsigned>(c))
      plan.logit_gradients[size_t{row} * kClasses + c] = gradient[c];
  }
  if (threadIdx.x == 0) {
    plan.losses[row] = loss;
    if (!std::isfinite(loss)) *plan.halted = 1;
  }
  if (!inside) return;
  float back[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    back[i] = 0;
#pragma unroll
    for (int c = 0; c < kClasses; ++c) back[i] += gradient[c] * weights[i * kClasses + c];
    back[i] = value[i] > 0 ? back[i] * (plan.dropout.scale / kWhite) : 0.0f;
  }
  *reinterpret_cast<float4*>(plan.values + at) = float4{value[0], value[1], value[2], value[3]};
  *reinterpret_cast<float4*>(plan.hidden_gradients + at) = float4{back[0], back[1], back[2], back[3]};
}

}  // namespace

void fast_head(const Stream& stream, bool overlap, const FastHead& plan) {
  launch_after(stream, overlap, head, plan.x.rows, blocks_for(plan.hidden, kEach * kWarp) * kWarp, 0, plan);
}

}  // namespace trainer::cuda
