#include "cuda/add.h"

namespace trainer::cuda {

namespace {

constexpr unsigned kThreads = 256;

__global__ void add_values(float* sum, const float* values, size_t count) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) sum[i] += values[i];
}

}  // namespace

void add(const Stream& stream, float* sum, const float* values, size_t count) {
  if (count > 0) launch(stream, add_values, blocks_for(count, kThreads), kThreads, sum, values, count);
}

}  // namespace trainer::cuda
