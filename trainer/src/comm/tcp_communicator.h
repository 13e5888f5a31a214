#pragma once

#include <vector>

#include "base/file.h"
#include "comm/communicator.h"

namespace trainer {

/// Ranks joined by TCP, each to each.
class TcpCommunicator : public Communicator {
 public:
  /// `peers` are connected, non-blocking sockets by rank, with none at one's own place.
  TcpCommunicator(uint32_t rank, std::vector<Fd> peers)
      : Communicator(rank, static_cast<uint32_t>(peers.size())), peers_(std::move(peers)) {}

  void check_peers() override;

 private:
  void do_exchange(std::span<const Send> sends, std::span<const Receive> receives) override;

  std::vector<Fd> peers_;
};

}  // namespace trainer
