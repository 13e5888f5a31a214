#pragma once

#include <nlohmann/json_fwd.hpp>

#include "comm/meeting.h"

/// The steps of meet().
namespace trainer {

using Clock = std::chrono::steady_clock;

/// How many connections from unidentified senders may be open, in addition to one for each rank.
inline constexpr size_t kMostStrangers = 64;

/// The time for which a poll() may sleep. Throws StoppedEarly, and after the deadline MeetingFailed with
/// `why`.
int next_wait(const MeetingPlan& plan, Clock::time_point deadline, const std::string& why);

/// The address of a rank, as rank 0 announces it. The host is empty for ranks on the same host as rank 0:
/// rank 0 may know them only by a loopback address, but the others can reach them at the address of rank 0.
struct Seat {
  std::string host;
  uint16_t port = 0;
};

/// Facts that rank 0 sends to each rank when all have arrived.
struct Welcome {
  uint32_t rank = 0;
  std::string meeting;  ///< chosen at random for each meeting
  std::vector<Seat> seats;
};

/// Rank 0's part of the meeting: waits for the other ranks and sends them the Welcome. Fills `peers`. Returns
/// the door for Team.
std::unique_ptr<Door> receive_ranks(const MeetingPlan& plan, Clock::time_point deadline,
                                    std::vector<Fd>& peers);

/// The other ranks' part of the meeting. Other ranks will connect to `listener`. Sets `master` to the
/// connection to rank 0.
Welcome join_ranks(const MeetingPlan& plan, Clock::time_point deadline, int listener, Fd& master);

/// Connects all ranks except rank 0 with each other.
void connect_ranks(const MeetingPlan& plan, const Welcome& welcome, int listener, std::vector<Fd>& peers);

/// Connects to the first address that responds. If none responds, the result is closed, and `why` has the
/// reason.
Fd connect_any(const MeetingPlan& plan, const std::vector<Address>& addresses, Clock::time_point deadline,
               std::string& why);

/// Whether all ranks are on this host, so that they need not be reachable from outside.
bool only_local(const Launch& launch);
/// A listening socket for the launch: on the master's loopback address if it has one, otherwise on all
/// addresses.
Fd listen_for(const MeetingPlan& plan, uint16_t port);

/// The job's identity: the one from the launcher, or the place where the ranks meet if the launcher has none.
std::string job_of(const Launch& launch);

}  // namespace trainer
