#pragma once

#include "cuda/memory.h"

namespace trainer::cuda {

/// sum += values.
void add(const Stream& stream, float* sum, const float* values, size_t count);

}  // namespace trainer::cuda
