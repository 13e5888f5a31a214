// A separate file, because only this code uses double precision on a GPU, as the CPU does.

#include <cmath>

#include "cuda/head.cuh"

namespace trainer::cuda {

namespace {

constexpr unsigned kWarp = 32;

__global__ void add_losses(const float* losses, const uint32_t* bounds, uint32_t shards, double* sum,
                           uint32_t* halted) {
  __shared__ double of_shard[kWarp];
  const uint32_t shard = threadIdx.x;
  double mine = 0;
  if (shard < shards) {
    for (uint32_t row = bounds[shard]; row < bounds[shard + 1]; ++row) mine += losses[row];
  }
  of_shard[shard] = mine;
  for (uint32_t distance = 1; distance < shards; distance *= 2) {
    __syncwarp();
    if (shard % (2 * distance) == 0 && shard + distance < shards)
      of_shard[shard] += of_shard[shard + distance];
  }
  if (shard != 0) return;
  *sum = of_shard[0];
  if (!std::isfinite(of_shard[0])) *halted = 1;
}

}  // namespace

void sum_losses(const Stream& stream, const float* losses, const uint32_t* bounds, uint32_t shards,
                double* sum, uint32_t* halted) {
  launch(stream, add_losses, 1, kWarp, losses, bounds, shards, sum, halted);
}

}  // namespace trainer::cuda
