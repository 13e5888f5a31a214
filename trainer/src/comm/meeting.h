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

/// The flags and facts on whose values all ranks must agree. Only "machine" may differ.
using Configuration = std::map<std::string, std::string>;

struct MeetingPlan {
  Launch launch;
  Configuration configuration;
  std::chrono::steady_clock::duration timeout = std::chrono::minutes(10);
  /// How long an elastic job waits for more ranks after it has its minimum number.
  std::chrono::steady_clock::duration last_call = std::chrono::seconds(launch.last_call);
  std::function<void(const std::string&)> say;
  std::function<int()> stop_signal;
  std::function<std::vector<Address>(const std::string&, uint16_t, std::string&)> resolve = trainer::resolve;
};

/// Lets ranks join later. Rank 0 has a door if its job is elastic and does not yet have its maximum number of
/// ranks. The door stays open during the training.
class Door {
 public:
  virtual ~Door() = default;
  /// Whether a rank that belongs to the job is waiting. Returns at once. Throws PeerLost if the rank belongs
  /// to a later attempt.
  virtual bool someone_waits() = 0;
};

/// The ranks that have found each other.
struct Team {
  uint32_t rank = 0;
  /// the connections to the other ranks, by rank; the list has an entry for each rank
  std::vector<Fd> peers;
  std::unique_ptr<Door> door;  ///< accepts ranks that join later; null if no more may join
};

/// Rank 0 listens at the master's address. The other ranks connect to it, identify themselves and receive the
/// addresses of all ranks. Then each connects to every other one. Names and connections are tried again until
/// the time limit, so ranks may arrive late, and rank 0 may move. Rank 0 rejects ranks of another job, of an
/// earlier attempt, or with a different configuration. Throws Error: MeetingFailed, StoppedEarly, PeerLost,
/// or the reason for a rejection.
Team meet(const MeetingPlan& plan);

}  // namespace trainer
