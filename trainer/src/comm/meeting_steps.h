#pragma once

#include <nlohmann/json_fwd.hpp>

#include "comm/meeting.h"

/// The steps of meet().
namespace trainer {

using Clock = std::chrono::steady_clock;

/// Tells how long a poll() may sleep. Throws StoppedEarly and, past the deadline, MeetingFailed with `why`.
int next_wait(const MeetingPlan& plan, Clock::time_point deadline, const std::string& why);

/// Where ranks are, as rank 0 tells them. The host is empty for those of rank 0's own host: it may know them
/// by a loopback address, while the others reach them where they reached rank 0.
struct Seat {
  std::string host;
  uint16_t port = 0;
};

/// What each rank knows once rank 0 has all.
struct Welcome {
  uint32_t rank = 0;
  std::string meeting;  ///< drawn anew for each
  std::vector<Seat> seats;
};

/// Rank 0: waits for the others and tells them. Fills `peers`. Returns what Team has.
std::unique_ptr<Door> receive_ranks(const MeetingPlan& plan, Clock::time_point deadline,
                                    std::vector<Fd>& peers);

/// The others: `listener` is where ranks above this one will connect. Gives the connection to rank 0.
Welcome join_ranks(const MeetingPlan& plan, Clock::time_point deadline, int listener, Fd& master);

/// Joins ranks from 1 on with each other.
void connect_ranks(const MeetingPlan& plan, const Welcome& welcome, int listener, std::vector<Fd>& peers);

/// A connection to the first of the addresses that answers; else not open, with the reason in `why`.
Fd connect_any(const MeetingPlan& plan, const std::vector<Address>& addresses, Clock::time_point deadline,
               std::string& why);

/// Ranks that are all on this host need not be reached from outside.
bool only_local(const Launch& launch);
/// A listening socket for it: on the loopback address that the master's name has, or on all.
Fd listen_for(const MeetingPlan& plan, uint16_t port);

/// What identifies a job: what the launcher says, else where its ranks meet.
std::string job_of(const Launch& launch);

}  // namespace trainer
