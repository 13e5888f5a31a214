#include "cuda/sums.h"

namespace trainer::cuda {

namespace {

constexpr unsigned kThreads = 256;
constexpr uint32_t kMostShards = 8;

__device__ float sum_of(const float* from, uint32_t parts, uint32_t count) {
  float sum = from[0];
  for (uint32_t p = 1; p < parts; ++p) sum += from[size_t{p} * count];
  return sum;
}

__global__ void add(const float* from, uint32_t parts, uint32_t shards, uint32_t count, float* out) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum[kMostShards];
#pragma unroll
  for (uint32_t s = 0; s < kMostShards; ++s) {
    sum[s] = s < shards ? sum_of(from + size_t{s} * parts * count + i, parts, count) : 0.0f;
  }
#pragma unroll
  for (uint32_t distance = 1; distance < kMostShards; distance *= 2) {
#pragma unroll
    for (uint32_t s = 0; s < kMostShards; s += 2 * distance) {
      if (s + distance < shards) sum[s] += sum[s + distance];
    }
  }
  out[i] = sum[0];
}

__global__ void finish(const float* from, uint32_t parts, uint32_t rows, uint32_t columns, const float* bias,
                       Dropout dropout, float* out) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const uint32_t row = i / columns, column = i - row * columns;
  const float value = sum_of(from + i, parts, rows * columns) + bias[column];
  out[i] = dropout(row, column, value > 0 ? value : 0.0f);
}

}  // namespace

void add_parts(const Stream& stream, const float* from, uint32_t parts, uint32_t shards, uint32_t count,
               float* out) {
  launch(stream, add, blocks_for(count, kThreads), kThreads, from, parts, shards, count, out);
}

void finish_dense(const Stream& stream, const float* from, uint32_t parts, uint32_t rows, uint32_t columns,
                  const float* bias, const Dropout& dropout, float* out) {
  launch(stream, finish, blocks_for(size_t{rows} * columns, kThreads), kThreads, from, parts, rows, columns,
         bias, dropout, out);
}

}  // namespace trainer::cuda
