#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace trainer {

/// Each batch is cut into this many shards. Every sum over a batch is made of sums within its shards, added
/// pairwise (pairwise.h), so that its bits do not depend on who computes which shard: threads or ranks.
constexpr uint32_t kShards = 8;

/// Bounds of the shards: shard s of a batch of `size` rows is [size * s / 8, size * (s + 1) / 8).
std::array<uint32_t, kShards + 1> shard_bounds(uint32_t size);

/// A subtree of the sum: shards [first, last), their number a power of two that divides `first`.
struct Subtree {
  uint32_t first, last;

  bool operator==(const Subtree&) const = default;
};

/// Rank r of N ≤ kShards takes the shards [8 r / N, 8 (r + 1) / N): the largest subtrees in them, in order.
/// It adds each up before it tells the others.
std::vector<Subtree> subtrees(uint32_t rank, uint32_t world);

}  // namespace trainer
