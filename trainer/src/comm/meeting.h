#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
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
  std::chrono::steady_clock::duration last_call = std::chrono::seconds(launch.last_call);
  std::function<void(const std::string&)> say;
  std::function<int()> stop_signal;
  std::function<std::vector<Address>(const std::string&, uint16_t, std::string&)> resolve = trainer::resolve;
};

/// Rank 0's, where an elastic job may have more ranks than have come: it stays open while they train.
class Door {
 public:
  virtual ~Door() = default;
  /// Whether a rank waits there that belongs to the job. Returns at once. Throws PeerLost when it is of a
  /// later attempt.
  virtual bool someone_waits() = 0;
};

/// The ranks that have found each other.
struct Team {
  uint32_t rank = 0;
  std::vector<Fd> peers;       ///< a connection to each other rank, by rank; they number world
  std::unique_ptr<Door> door;  ///< none where nobody else may come
};

/// Rank 0 listens at the master's address; the others come there, say who they are, and learn where all are;
/// then each connects to each. Names and connections are tried again until the time is over, so that ranks
/// may come late, and rank 0 may move. Rank 0 refuses whoever is of another job, an earlier attempt, or told
/// another configuration. Throws Error: MeetingFailed, StoppedEarly, PeerLost, or what was refused.
Team meet(const MeetingPlan& plan);

}  // namespace trainer
