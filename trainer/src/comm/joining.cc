// What all ranks except rank 0 do in a meeting, in which ranks find and connect to each other.

#include <poll.h>

#include <cerrno>

#include "comm/meeting_steps.h"
#include "comm/message.h"
#include "comm/peer_lost.h"

namespace trainer {

namespace {

using nlohmann::json;

constexpr auto kConnectPatience = std::chrono::seconds(3);  ///< the time limit for one address
constexpr int kBreak = 200;                                 ///< ms between attempts

void wait_for(const MeetingPlan& plan, Clock::time_point deadline, int fd, short events,
              const std::string& why) {
  pollfd source{fd, events, 0};
  poll(&source, 1, next_wait(plan, deadline, why));
}

json hello(const MeetingPlan& plan, int listener) {
  const Launch& launch = plan.launch;
  return {{"job", job_of(launch)},
          {"attempt", launch.attempt},
          {"rank", launch.rank},
          {"world", launch.world},
          {"port", local_address(listener).port()},
          {"configuration", plan.configuration}};
}

Welcome understood(const json& told) {
  Welcome welcome{told.at("rank"), told.at("meeting"), {}};
  for (const json& seat : told.at("seats")) {
    welcome.seats.push_back({seat.value("host", ""), seat.value("port", uint16_t{0})});
  }
  if (welcome.rank == 0 || welcome.rank >= welcome.seats.size())
    throw Error("rank 0 sent an invalid message", "");
  return welcome;
}

/// Returns rank 0's final answer. If it is empty, `why` has the reason, and the caller should try again.
json answer(const MeetingPlan& plan, Clock::time_point deadline, int fd, std::string& why) {
  MessageReader reader;
  for (;;) {
    switch (reader.read(fd)) {
      case MessageReader::State::whole: return reader.take();
      case MessageReader::State::closed: why = "rank 0 ended before all ranks had connected"; return {};
      case MessageReader::State::garbage: why = "the process at that address is not rank 0"; return {};
      case MessageReader::State::waiting: break;
    }
    wait_for(plan, deadline, fd, POLLIN, "rank 0 is running, and still waits for other ranks");
  }
}

}  // namespace

Fd connect_any(const MeetingPlan& plan, const std::vector<Address>& addresses, Clock::time_point deadline,
               std::string& why) {
  for (const Address& address : addresses) {
    Fd fd = begin_connect(address);
    int error = errno;
    if (fd.get() >= 0) {
      why = address.text() + " does not answer";
      const auto until = std::min(deadline, Clock::now() + kConnectPatience);
      pollfd source{fd.get(), POLLOUT, 0};
      while (Clock::now() < until && poll(&source, 1, next_wait(plan, deadline, why)) <= 0) continue;
      error = source.revents ? connection_error(fd.get()) : ETIMEDOUT;
    }
    if (error == 0) {
      tune(fd.get());
      return fd;
    }
    why = address.text() + ": " + errno_text(error);
  }
  return Fd();
}

Welcome join_ranks(const MeetingPlan& plan, Clock::time_point deadline, int listener, Fd& master) {
  const Launch& launch = plan.launch;
  const std::string where =
      "rank 0 at " + launch.master_address + ", port " + std::to_string(launch.master_port);
  std::string why, told;
  for (;;) {
    // Resolves the name again at each attempt, because rank 0 may have moved.
    master = connect_any(plan, plan.resolve(launch.master_address, launch.master_port, why), deadline, why);
    if (master.get() >= 0 && send_message(master.get(), hello(plan, listener))) {
      const json said = answer(plan, deadline, master.get(), why);
      if (said.contains("refused") && !said.value("retry", false)) {
        throw Error("rank 0 rejected this rank", said.value("refused", ""),
                    "start all ranks again, with the same command and data", 2);
      }
      if (said.contains("refused")) {
        why = "the process at that address rejected this rank: " + said.value("refused", "");
      } else if (!said.is_null()) {
        try {
          return understood(said);
        } catch (const json::exception&) {
          why = "the process at that address has another version";
        }
      }
    }
    if (told != why) plan.say("waiting for " + where + " (" + why + ")");
    told = why;
    poll(nullptr, 0, std::min(kBreak, next_wait(plan, deadline, where + ": " + why) * 2));
  }
}

}  // namespace trainer
