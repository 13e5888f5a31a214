#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace trainer {

struct Send {
  uint32_t to;
  std::span<const std::byte> bytes;
};
struct Receive {
  uint32_t from;
  std::span<std::byte> bytes;
};

/// What this rank has sent and received, and how long it was in exchange().
struct Traffic {
  uint64_t sent = 0, received = 0;  ///< bytes
  double seconds = 0;
};

/// The ranks that train together, seen from one of them. Everything that they tell each other is made of
/// one call, in which all take part; collectives.h, exact_sum.h and ring_sum.h are made of it.
class Communicator {
 public:
  Communicator(uint32_t rank, uint32_t world) : rank_(rank), world_(world) {}
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;

  uint32_t rank() const { return rank_; }
  uint32_t world() const { return world_; }
  const Traffic& traffic() const { return traffic_; }

  /// Sends and receives at the same time, and returns when all is done. What goes from one rank to another
  /// comes in the order of the calls and lists, and the receiver must ask for as many bytes. Throws PeerLost.
  void exchange(std::span<const Send> sends, std::span<const Receive> receives);

  /// Throws PeerLost where another rank has ended or vanished: for who waits for it by other means.
  virtual void check_peers() {}

  /// From here on a peer that is only slow is waited for, however long that takes.
  virtual void wait_for_slow_peers() {}

 private:
  virtual void do_exchange(std::span<const Send> sends, std::span<const Receive> receives) = 0;

  uint32_t rank_, world_;
  Traffic traffic_;
};

/// A process that trains alone.
class LocalCommunicator : public Communicator {
 public:
  LocalCommunicator() : Communicator(0, 1) {}

 private:
  void do_exchange(std::span<const Send>, std::span<const Receive>) override {}
};

}  // namespace trainer
