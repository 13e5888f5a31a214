#pragma once

#include <cuda_runtime.h>

#include <cmath>

namespace trainer::cuda {

constexpr float kBeta1 = 0.9f, kBeta2 = 0.999f, kEpsilon = 1e-8f;

/// Moves a parameter and its moments by gradient `g`. Names the fused operations explicitly. A compiler could
/// choose them differently in each kernel, and results would then depend on the number of ranks.
__device__ inline void move_by_adam(float g, float rate, float second_scale, float& parameter, float& first,
                                    float& second) {
  first = fmaf(kBeta1, first, (1 - kBeta1) * g);
  second = fmaf(kBeta2, second, (1 - kBeta2) * g * g);
  parameter -= rate * first / (std::sqrt(second * second_scale) + kEpsilon);
}

}  // namespace trainer::cuda
