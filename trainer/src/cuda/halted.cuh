#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace trainer::cuda {

/// Whether at least one word of `halted`, which has a word for each rank, is set.
__device__ inline bool any(const uint32_t* halted, uint32_t ranks) {
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    if (halted[rank]) return true;
  }
  return false;
}

}  // namespace trainer::cuda
