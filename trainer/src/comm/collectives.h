#pragma once

#include <span>
#include <vector>

#include "comm/communicator.h"

namespace trainer {

/// Divides an array of `count` elements among ranks: rank r's part is [bounds[r], bounds[r + 1]). The bounds
/// before the last are multiples of 64, so that loops over a part use the same vector instructions for each
/// element as loops over the whole array.
std::vector<size_t> slice_bounds(size_t count, uint32_t world);

/// The arguments of Communicator::exchange().
struct Messages {
  std::vector<Send> sends;
  std::vector<Receive> receives;
};

/// Gives each rank all parts of an array. At first, each rank has only its own part, which it sends to every
/// other rank.
void all_gather(Communicator& communicator, std::span<std::byte> all, std::span<const size_t> bounds);

/// Like all_gather(), but around a ring: ranks communicate only with their neighbors.
void ring_all_gather(Communicator& communicator, std::span<std::byte> all, std::span<const size_t> bounds);

/// Gathers all parts on rank 0 only.
void gather(Communicator& communicator, std::span<std::byte> all, std::span<const size_t> bounds);

/// Copies rank 0's bytes to all ranks.
void broadcast(Communicator& communicator, std::span<std::byte> bytes);

/// The messages that this rank exchanges in an all_gather() of parts of the same size, for callers that
/// exchange them together with other messages.
Messages all_gather_messages(const Communicator& communicator, std::span<std::byte> all);

/// Returns the value of each rank, by rank.
template <typename Value>
std::vector<Value> all_gather_values(Communicator& communicator, const Value& mine) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::vector<Value> values(communicator.world());
  values[communicator.rank()] = mine;
  const Messages messages = all_gather_messages(communicator, std::as_writable_bytes(std::span(values)));
  communicator.exchange(messages.sends, messages.receives);
  return values;
}

/// Converts bounds of elements to bounds of bytes, with `size` bytes for each element.
std::vector<size_t> in_bytes(std::span<const size_t> bounds, size_t size);

}  // namespace trainer
