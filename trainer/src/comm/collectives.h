#pragma once

#include <span>
#include <vector>

#include "comm/communicator.h"

namespace trainer {

/// Rank r's part of an array of `count` elements is [bounds[r], bounds[r + 1]). The bounds are multiples of
/// 64: loops over a part then take the same vector instructions for each element as loops over the whole.
std::vector<size_t> slice_bounds(size_t count, uint32_t world);

/// All parts of an array, of which each rank has its own at first. Each sends its part to each.
void all_gather(Communicator& communicator, std::span<std::byte> all, std::span<const size_t> bounds);

/// As it, around a ring: ranks only talk to their neighbours.
void ring_all_gather(Communicator& communicator, std::span<std::byte> all, std::span<const size_t> bounds);

/// Rank 0 alone gets all parts.
void gather(Communicator& communicator, std::span<std::byte> all, std::span<const size_t> bounds);

/// Rank 0's bytes, for all.
void broadcast(Communicator& communicator, std::span<std::byte> bytes);

/// What each rank says, by rank.
template <typename Value>
std::vector<Value> all_gather_values(Communicator& communicator, const Value& mine) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::vector<Value> values(communicator.world());
  values[communicator.rank()] = mine;
  std::vector<size_t> bounds(values.size() + 1);
  for (size_t i = 0; i < bounds.size(); ++i) bounds[i] = i * sizeof(Value);
  all_gather(communicator, std::as_writable_bytes(std::span(values)), bounds);
  return values;
}

/// The same bounds, of an array of `size` bytes an element.
std::vector<size_t> in_bytes(std::span<const size_t> bounds, size_t size);

}  // namespace trainer
