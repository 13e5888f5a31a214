#pragma once

#include "cuda/layers.cuh"

namespace trainer::cuda {

/// out[i] = the sum over the parts in `from`. Adds the parts of each shard one after the other, then the
/// shards pairwise. Part p of shard s starts at (s * parts + p) * count. `shards` is a power of two, at
/// most 8.
void add_parts(const Stream& stream, const float* from, uint32_t parts, uint32_t shards, uint32_t count,
               float* out);

/// out = dropout(max(sum of the parts + bias, 0)), with rows x columns elements.
void finish_dense(const Stream& stream, const float* from, uint32_t parts, uint32_t rows, uint32_t columns,
                  const float* bias, const Dropout& dropout, float* out);

}  // namespace trainer::cuda
