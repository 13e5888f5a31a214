#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "comm/socket.h"
#include "launch/launch.h"

namespace trainer {

/// What all ranks must agree on: flag or fact -> value. "machine" may differ.
using Configuration = std::map<std::string, std::string>;

struct MeetingPlan {
  Launch launch;
  Configuration configuration;
  std::chrono::steady_clock::duration timeout = std::chrono::minutes(10);
  /// How long an elastic job that has its least number of ranks waits for more.
  std::chrono::steady_clock::duration last_call = std::chrono::seconds(30);
  std::function<void(const std::string&)> say;
  std::function<int()> stop_signal;
  std::function<std::vector<Address>(const std::string&, uint16_t, std::string&)> resolve = trainer::resolve;
};

/// The ranks that have found each other.
struct Team {
  uint32_t rank = 0;
  std::vector<Fd> peers;  ///< a connection to each other rank, by rank; they number world
};

/// Rank 0 listens at the master's address; the others come there, say who they are, and learn where all are;
/// then each connects to each. Names and connections are tried again until the time is over, so that ranks
/// may come late, and rank 0 may move. Rank 0 refuses whoever is of another job, an earlier attempt, or told
/// another configuration. Throws Error: MeetingFailed, StoppedEarly, PeerLost, or what was refused.
Team meet(const MeetingPlan& plan);

}  // namespace trainer
