#pragma once

#include <chrono>
#include <vector>

#include "base/file.h"
#include "comm/communicator.h"

namespace trainer {

/// Ranks joined by TCP, each to each.
class TcpCommunicator : public Communicator {
 public:
  /// `peers` are connected, non-blocking sockets by rank, with none at one's own place. A peer that lets an
  /// exchange wait for as long as `patience` without a byte is lost; 0: one that is only slow is waited for.
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
