#include "comm/shards.h"

namespace trainer {

std::array<uint32_t, kShards + 1> shard_bounds(uint32_t size) {
  std::array<uint32_t, kShards + 1> bounds;
  for (uint32_t s = 0; s <= kShards; ++s) bounds[s] = static_cast<uint32_t>(uint64_t{size} * s / kShards);
  return bounds;
}

std::vector<Subtree> subtrees(uint32_t rank, uint32_t world) {
  std::vector<Subtree> result;
  const uint32_t end = kShards * (rank + 1) / world;
  for (uint32_t first = kShards * rank / world; first < end;) {
    uint32_t size = kShards;
    while (first % size != 0 || first + size > end) size /= 2;
    result.push_back({first, first + size});
    first += size;
  }
  return result;
}

}  // namespace trainer
