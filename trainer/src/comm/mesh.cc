// Connects ranks 1 and up with each other; each is already connected to rank 0.

#include <poll.h>

#include <cerrno>
#include <memory>

#include "comm/meeting_steps.h"
#include "comm/message.h"
#include "comm/peer_lost.h"

namespace trainer {

namespace {

using nlohmann::json;

/// long enough, because all ranks are already listening
constexpr auto kPatience = std::chrono::seconds(30);

struct Caller {
  Fd fd;
  MessageReader reader;
};

Fd call(const MeetingPlan& plan, const Welcome& welcome, uint32_t rank, const Address& master,
        Clock::time_point deadline) {
  const Seat& seat = welcome.seats[rank];
  std::string why;
  std::vector<Address> addresses;
  if (seat.host.empty()) {
    addresses = {master};
    addresses[0].set_port(seat.port);
  } else {
    addresses = resolve(seat.host, seat.port, why);
  }
  Fd fd = connect_any(plan, addresses, deadline, why);
  if (fd.get() < 0 || !send_message(fd.get(), {{"meeting", welcome.meeting}, {"rank", welcome.rank}})) {
    throw PeerLost("rank " + std::to_string(rank) + " cannot be reached: " + why);
  }
  return fd;
}

}  // namespace

void connect_ranks(const MeetingPlan& plan, const Welcome& welcome, int listener, std::vector<Fd>& peers) {
  const auto deadline = Clock::now() + kPatience;
  const Address master = peer_address(peers[0].get());
  for (uint32_t rank = 1; rank < welcome.rank; ++rank) {
    peers[rank] = call(plan, welcome, rank, master, deadline);
  }
  size_t missing = welcome.seats.size() - welcome.rank - 1;
  std::vector<std::unique_ptr<Caller>> callers;
  while (missing > 0) {
    std::vector<pollfd> sources = {{listener, POLLIN, 0}};
    for (const auto& caller : callers) sources.push_back({caller->fd.get(), POLLIN, 0});
    poll(sources.data(), sources.size(), next_wait(plan, deadline, "not all ranks can reach this rank"));
    Address from;
    for (Fd fd; (fd = accept_one(listener, from)).get() >= 0;) {
      tune(fd.get());
      callers.push_back(std::make_unique<Caller>(Caller{std::move(fd), {}}));
      if (callers.size() > welcome.seats.size() + kMostStrangers) callers.erase(callers.begin());
    }
    if (lacks_descriptors(errno) && !callers.empty()) callers.erase(callers.begin());
    std::erase_if(callers, [&](const std::unique_ptr<Caller>& caller) {
      const auto state = caller->reader.read(caller->fd.get());
      if (state != MessageReader::State::whole) return state != MessageReader::State::waiting;
      const json said = caller->reader.take();
      const json meeting = said.value("meeting", json()), number = said.value("rank", json());
      const uint64_t rank = number.is_number_unsigned() ? number.get<uint64_t>() : 0;
      // A caller that does not know this meeting does not belong to it.
      if (meeting == welcome.meeting && rank > welcome.rank && rank < peers.size() && peers[rank].get() < 0) {
        peers[rank] = std::move(caller->fd);
        --missing;
      }
      return true;
    });
  }
}

}  // namespace trainer
