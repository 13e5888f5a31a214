#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace trainer::cuda {

/// The shards of a piece of the batch. There are `count` of them (1, 2, 4 or 8); each has the rows from one
/// bound to the next.
struct Shards {
  uint32_t bounds[9];
  uint32_t count;
};

/// Shared memory holds this many groups of rows at a time; all rows of a group belong to one shard.
constexpr int kGroups = 8, kGroupRows = 16;

/// The rows of the groups in shared memory. Groups beyond the last row have none.
struct RowGroups {
  uint32_t first[kGroups], rows[kGroups];
};

/// Sums over the rows of each shard, and then over the shards pairwise: first with second, third with fourth,
/// then these sums. `add(sum, row, count)` adds the products of up to kGroupRows rows to a sum. The bits of a
/// shard's sum do not depend on the other shards of a piece.
template <typename Sum, typename Add>
__device__ void sum_shards(const Shards& shards, Sum& sum, Add add) {
  Sum level[3];
  for (uint32_t shard = 0; shard < shards.count; ++shard) {
    const uint32_t end = shards.bounds[shard + 1];
    sum.clear();
    for (uint32_t row = shards.bounds[shard]; row < end; row += kGroupRows)
      add(sum, row, end - row < kGroupRows ? end - row : kGroupRows);
    // Level l holds the sum of 2^l shards if bit l of their number is set.
    if (!(shard & 1)) {
      level[0] = sum;
      continue;
    }
    sum += level[0];
    if (!(shard & 2)) {
      level[1] = sum;
      continue;
    }
    sum += level[1];
    if (!(shard & 4)) {
      level[2] = sum;
      continue;
    }
    sum += level[2];
  }
}

/// Sums shards whose rows are not all in shared memory: `load(groups)` loads the next groups, and `add(sum,
/// group)` adds the products of a group to a sum.
template <typename Sum, typename Load, typename Add>
__device__ void sum_shards(const Shards& shards, Sum& sum, Load load, Add add) {
  uint32_t next_shard = 0, next_row = shards.bounds[0];
  int group = kGroups;
  sum_shards(shards, sum, [&](Sum& to, uint32_t, uint32_t) {
    if (group == kGroups) {
      RowGroups groups;
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        while (next_shard < shards.count && next_row >= shards.bounds[next_shard + 1]) ++next_shard;
        const uint32_t left = next_shard < shards.count ? shards.bounds[next_shard + 1] - next_row : 0;
        groups.first[g] = next_row;
        groups.rows[g] = left < kGroupRows ? left : kGroupRows;
        next_row += groups.rows[g];
      }
      __syncthreads();
      load(groups);
      __syncthreads();
      group = 0;
    }
    add(to, group++);
  });
}

}  // namespace trainer::cuda
