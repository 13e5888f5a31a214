#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace trainer {

/// The number of shards of each batch. Every sum over a batch consists of sums within its shards, which are
/// added pairwise (pairwise.h). The bits of the sum therefore do not depend on which threads or ranks compute
/// which shard.
constexpr uint32_t kShards = 8;

/// The bounds of the shards in a batch of `size` rows: shard s is [size * s / 8, size * (s + 1) / 8).
std::array<uint32_t, kShards + 1> shard_bounds(uint32_t size);

/// A subtree of the sum: shards [first, last). Their number is a power of two that divides `first`.
struct Subtree {
  uint32_t first, last;

  bool operator==(const Subtree&) const = default;
};

/// Rank r of N ≤ kShards has the shards [8 r / N, 8 (r + 1) / N). Returns the largest subtrees in them, in
/// order. The rank adds up each subtree before it sends the sum to others.
std::vector<Subtree> subtrees(uint32_t rank, uint32_t world);

}  // namespace trainer
