#include "comm/meeting.h"

#include <algorithm>

#include "comm/meeting_steps.h"
#include "comm/peer_lost.h"

namespace trainer {

int next_wait(const MeetingPlan& plan, Clock::time_point deadline, const std::string& why) {
  if (const int signal = plan.stop_signal()) throw StoppedEarly(signal);
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  if (left <= 0) throw MeetingFailed(why);
  return static_cast<int>(std::min<long>(left, 100));  // at most 100 ms, so that a signal is noticed soon
}

bool only_local(const Launch& launch) {
  const std::string& host = launch.master_address;
  return launch.local_world == launch.world && (host == "localhost" || host == "127.0.0.1" || host == "::1");
}

Fd listen_for(const MeetingPlan& plan, uint16_t port) {
  if (!only_local(plan.launch)) return listen_at(port);
  std::string ignored;
  Fd fd;
  for (const Address& address : plan.resolve(plan.launch.master_address, port, ignored)) {
    if ((fd = listen_at(port, &address)).get() >= 0) break;
  }
  return fd;
}

std::string job_of(const Launch& launch) {
  return launch.job.empty() ? launch.master_address + ":" + std::to_string(launch.master_port) : launch.job;
}

Team meet(const MeetingPlan& plan) {
  const auto deadline = Clock::now() + plan.timeout;
  Team team;
  if (plan.launch.rank == 0) {
    team.door = receive_ranks(plan, deadline, team.peers);
    return team;
  }
  const Fd listener = listen_for(plan, 0);
  if (listener.get() < 0) throw Error("cannot listen for other ranks", errno_text(errno));
  Fd master;
  const Welcome welcome = join_ranks(plan, deadline, listener.get(), master);
  team.rank = welcome.rank;
  team.peers.resize(welcome.seats.size());
  team.peers[0] = std::move(master);
  connect_ranks(plan, welcome, listener.get(), team.peers);
  return team;
}

}  // namespace trainer
