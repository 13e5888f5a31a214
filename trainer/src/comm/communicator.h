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

/// How much data this rank has sent and received, and its time in exchange().
struct Traffic {
  uint64_t sent = 0, received = 0;  ///< bytes
  double seconds = 0;
};

/// The ranks that train together, as seen by one of them. All communication uses the call exchange(), in
/// which all ranks take part; collectives.h, exact_sum.h and ring_sum.h are built on it.
class Communicator {
 public:
  Communicator(uint32_t rank, uint32_t world) : rank_(rank), world_(world) {}
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;

  uint32_t rank() const { return rank_; }
  uint32_t world() const { return world_; }
  const Traffic& traffic() const { return traffic_; }

  /// Sends and receives at the same time, and returns when both are complete. Messages from one rank to
  /// another arrive in the order of calls and lists, and the receiver must expect the same number of bytes.
  /// Throws PeerLost.
  void exchange(std::span<const Send> sends, std::span<const Receive> receives);

  /// Throws PeerLost if another rank has ended or its host has vanished. Meant for callers that do not wait
  /// in exchange().
  virtual void check_peers() {}

  /// After this call, waits for slow peers without a time limit.
  virtual void wait_for_slow_peers() {}

 private:
  virtual void do_exchange(std::span<const Send> sends, std::span<const Receive> receives) = 0;

  uint32_t rank_, world_;
  Traffic traffic_;
};

/// The communicator of a process that trains alone.
class LocalCommunicator : public Communicator {
 public:
  LocalCommunicator() : Communicator(0, 1) {}

 private:
  void do_exchange(std::span<const Send>, std::span<const Receive>) override {}
};

}  // namespace trainer
