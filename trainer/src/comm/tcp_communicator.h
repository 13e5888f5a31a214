#pragma once

#include <chrono>
#include <vector>

#include "base/file.h"
#include "comm/communicator.h"

namespace trainer {

/// Ranks with a TCP connection between each pair.
class TcpCommunicator : public Communicator {
 public:
  /// `peers` are connected, non-blocking sockets by rank; the rank's own entry is closed. If an exchange
  /// makes no progress with any peer for as long as `patience`, the peers for which it waits are lost. 0
  /// means to wait for slow peers without limit.
  TcpCommunicator(uint32_t rank, std::vector<Fd> peers, std::chrono::seconds patience = {})
      : Communicator(rank, static_cast<uint32_t>(peers.size())),
        peers_(std::move(peers)),
        patience_(patience) {}

  void check_peers() override;
  void wait_for_slow_peers() override { patience_ = {}; }

 private:
  void do_exchange(std::span<const Send> sends, std::span<const Receive> receives) override;

  std::vector<Fd> peers_;
  std::chrono::seconds patience_;
};

}  // namespace trainer
