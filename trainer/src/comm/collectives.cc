#include "comm/collectives.h"

#include <algorithm>

namespace trainer {

namespace {

template <typename Byte>
std::span<Byte> part(std::span<Byte> all, std::span<const size_t> bounds, uint32_t rank) {
  return all.subspan(bounds[rank], bounds[rank + 1] - bounds[rank]);
}

/// This rank's messages in all_gather().
Messages messages_of(const Communicator& communicator, std::span<std::byte> all,
                     std::span<const size_t> bounds) {
  Messages messages;
  for (uint32_t peer = 0; peer < communicator.world(); ++peer) {
    if (peer == communicator.rank()) continue;
    messages.sends.push_back({peer, part(all, bounds, communicator.rank())});
    messages.receives.push_back({peer, part(all, bounds, peer)});
  }
  return messages;
}

}  // namespace

std::vector<size_t> slice_bounds(size_t count, uint32_t world) {
  constexpr size_t kUnit = 64;
  const size_t units = (count + kUnit - 1) / kUnit;
  std::vector<size_t> bounds(world + 1);
  for (uint32_t rank = 0; rank <= world; ++rank) bounds[rank] = std::min(units * rank / world * kUnit, count);
  return bounds;
}

std::vector<size_t> in_bytes(std::span<const size_t> bounds, size_t size) {
  std::vector<size_t> result(bounds.begin(), bounds.end());
  for (size_t& bound : result) bound *= size;
  return result;
}

Messages all_gather_messages(const Communicator& communicator, std::span<std::byte> all) {
  std::vector<size_t> bounds(communicator.world() + 1);
  for (size_t rank = 0; rank < bounds.size(); ++rank) bounds[rank] = all.size() / communicator.world() * rank;
  return messages_of(communicator, all, bounds);
}

void all_gather(Communicator& communicator, std::span<std::byte> all, std::span<const size_t> bounds) {
  const Messages messages = messages_of(communicator, all, bounds);
  communicator.exchange(messages.sends, messages.receives);
}

void ring_all_gather(Communicator& communicator, std::span<std::byte> all, std::span<const size_t> bounds) {
  const uint32_t world = communicator.world(), rank = communicator.rank();
  const uint32_t next = (rank + 1) % world, before = (rank + world - 1) % world;
  for (uint32_t step = 0; step + 1 < world; ++step) {
    const Send send{next, part(all, bounds, (rank + world - step) % world)};
    const Receive receive{before, part(all, bounds, (rank + 2 * world - step - 1) % world)};
    communicator.exchange({&send, 1}, {&receive, 1});
  }
}

void gather(Communicator& communicator, std::span<std::byte> all, std::span<const size_t> bounds) {
  if (communicator.rank() != 0) {
    const Send send{0, part(all, bounds, communicator.rank())};
    return communicator.exchange({&send, 1}, {});
  }
  std::vector<Receive> receives;
  for (uint32_t peer = 1; peer < communicator.world(); ++peer) {
    receives.push_back({peer, part(all, bounds, peer)});
  }
  communicator.exchange({}, receives);
}

void broadcast(Communicator& communicator, std::span<std::byte> bytes) {
  if (communicator.rank() != 0) {
    const Receive receive{0, bytes};
    return communicator.exchange({}, {&receive, 1});
  }
  std::vector<Send> sends;
  for (uint32_t peer = 1; peer < communicator.world(); ++peer) sends.push_back({peer, bytes});
  communicator.exchange(sends, {});
}

}  // namespace trainer
