// What rank 0 does in a meeting.

#include <poll.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <random>

#include "comm/meeting_steps.h"
#include "comm/message.h"
#include "comm/peer_lost.h"

namespace trainer {

namespace {

using nlohmann::json;

struct Guest {
  Fd fd;
  Address address;
  MessageReader reader;
  uint16_t port = 0;  ///< the port on which the guest listens
};

/// Why a guest is rejected.
struct Refusal {
  std::string why;
  bool retry = false;  ///< whether the guest connected to the wrong place and should try again
};

class Reception : public Door {
 public:
  Reception(MeetingPlan plan, Clock::time_point deadline)
      : plan_(std::move(plan)), deadline_(deadline), seats_(plan_.launch.world) {
    open();
  }

  void run(std::vector<Fd>& peers) {
    while (!is_complete()) {
      wait();
      receive();
    }
    welcome(peers);
    seats_ = std::vector<std::unique_ptr<Guest>>(plan_.launch.world);
  }

  bool someone_waits() override {
    receive();
    let_go();
    return present() > 1;
  }

 private:
  void receive() {
    // Real ranks identify themselves at once, so the guests that have waited longest are not ranks.
    while (auto guest = next_guest()) {
      guests_.push_back(std::move(guest));
      if (guests_.size() > seats_.size() + kMostStrangers) guests_.erase(guests_.begin());
    }
    if (lacks_descriptors(errno) && !guests_.empty()) guests_.erase(guests_.begin());
    std::erase_if(guests_, [&](std::unique_ptr<Guest>& guest) { return !listen_to(guest); });
  }

  void open() {
    const uint16_t port = plan_.launch.master_port;
    for (bool told = false;; told = true) {
      listener_ = listen_for(plan_, port);
      if (listener_.get() >= 0) return;
      const std::string why = "cannot listen at port " + std::to_string(port) + ": " + errno_text(errno);
      if (!told) plan_.say(why + "; retrying");
      poll(nullptr, 0, next_wait(plan_, deadline_, why));
    }
  }

  uint32_t present() const {
    uint32_t count = 1;
    for (const auto& seat : seats_) count += seat != nullptr;
    return count;
  }

  bool is_complete() {
    if (present() == plan_.launch.world) return true;
    if (present() < plan_.launch.least_world) {
      last_call_.reset();
      return false;
    }
    if (!last_call_) last_call_ = Clock::now() + plan_.last_call;
    return Clock::now() >= *last_call_;
  }

  std::string absent() const {
    std::string ranks;
    for (uint32_t rank = 1; rank < seats_.size(); ++rank) {
      if (!seats_[rank]) ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
    }
    return "of the " + std::to_string(seats_.size()) + " ranks, these did not connect: " + ranks;
  }

  void wait() {
    std::vector<pollfd> sources = {{listener_.get(), POLLIN, 0}};
    for (const auto& guest : guests_) sources.push_back({guest->fd.get(), POLLIN, 0});
    for (const auto& seat : seats_) {
      if (seat) sources.push_back({seat->fd.get(), POLLIN, 0});
    }
    poll(sources.data(), sources.size(), next_wait(plan_, deadline_, absent()));
    let_go();
  }

  void let_go() {
    // ranks that have a seat send nothing until they end
    for (uint32_t rank = 1; rank < seats_.size(); ++rank) {
      if (!seats_[rank] || seats_[rank]->reader.read(seats_[rank]->fd.get()) == MessageReader::State::waiting)
        continue;
      plan_.say("rank " + std::to_string(rank) + " has disconnected");
      seats_[rank].reset();
    }
  }

  std::unique_ptr<Guest> next_guest() {
    auto guest = std::make_unique<Guest>();
    guest->fd = accept_one(listener_.get(), guest->address);
    if (guest->fd.get() < 0) return nullptr;
    tune(guest->fd.get());
    return guest;
  }

  /// Returns whether the guest remains: it has neither received a seat nor been rejected.
  bool listen_to(std::unique_ptr<Guest>& guest) {
    switch (guest->reader.read(guest->fd.get())) {
      case MessageReader::State::waiting: return true;
      case MessageReader::State::closed: return false;
      case MessageReader::State::garbage:
        plan_.say("not a rank: closed the connection from " + guest->address.text());
        return false;
      case MessageReader::State::whole: break;
    }
    const json hello = guest->reader.take();
    try {
      seat(guest, hello);
    } catch (const json::exception&) {
      plan_.say("not a rank of this version: closed the connection from " + guest->address.text());
    }
    return false;
  }

  void seat(std::unique_ptr<Guest>& guest, const json& hello) {
    const uint32_t rank = hello.at("rank");
    guest->port = hello.at("port");
    const std::string who = "rank " + std::to_string(rank) + " at " + guest->address.text();
    if (const auto refusal = judge(rank, hello)) {
      plan_.say("refused " + who + ": " + refusal->why);
      send_message(guest->fd.get(), {{"refused", refusal->why}, {"retry", refusal->retry}});
      return;
    }
    const std::string machine = hello.at("configuration").value("machine", ""),
                      here = plan_.configuration.count("machine") ? plan_.configuration.at("machine") : "";
    if (machine != here) {
      plan_.say("rank " + std::to_string(rank) + " runs on " + machine + ", rank 0 on " + here +
                ": the last bits of the result may differ");
    }
    if (seats_[rank]) plan_.say(who + " takes the place of " + seats_[rank]->address.text());
    seats_[rank] = std::move(guest);
  }

  std::optional<Refusal> judge(uint32_t rank, const json& hello) const {
    const Launch& launch = plan_.launch;
    const std::string job = hello.at("job"), mine = job_of(launch);
    if (job != mine) return Refusal{"it belongs to job " + job + ", but this is job " + mine, true};
    const uint64_t attempt = hello.at("attempt");
    if (attempt < launch.attempt) {
      return Refusal{"it belongs to attempt " + std::to_string(attempt) +
                     ", which has ended: this is attempt " + std::to_string(launch.attempt)};
    }
    if (attempt > launch.attempt) throw PeerLost("attempt " + std::to_string(attempt) + " has started");
    if (const uint32_t world = hello.at("world"); world != launch.world || rank == 0 || rank >= world) {
      return Refusal{"it claims to be rank " + std::to_string(rank) + " of " + std::to_string(world) +
                     ", but rank 0 expects " + std::to_string(launch.world) + " ranks"};
    }
    const Configuration theirs = hello.at("configuration");
    for (const auto& [key, value] : plan_.configuration) {
      const auto found = theirs.find(key);
      const std::string other = found == theirs.end() ? "unknown" : found->second;
      if (key != "machine" && other != value)
        return Refusal{"its " + key + " is " + other + ", rank 0's is " + value};
    }
    return std::nullopt;
  }

  /// Numbers the ranks that are present, sends them the Welcome, and moves their connections to `peers`.
  void welcome(std::vector<Fd>& peers) {
    std::erase(seats_, nullptr);
    const std::string meeting =
        std::to_string(std::random_device()()) + std::to_string(std::random_device()());
    json places = json::array({json::object()});
    for (const auto& guest : seats_) {
      const std::string host = guest->address.host(), here = local_address(guest->fd.get()).host();
      places.push_back({{"host", host == here ? "" : host}, {"port", guest->port}});
    }
    peers.resize(seats_.size() + 1);
    for (size_t i = 0; i < seats_.size(); ++i) {
      const json told = {{"rank", i + 1}, {"meeting", meeting}, {"seats", places}};
      if (!send_message(seats_[i]->fd.get(), told)) {
        throw PeerLost("rank " + std::to_string(i + 1) + " disconnected while the ranks were connecting");
      }
      peers[i + 1] = std::move(seats_[i]->fd);
    }
  }

  MeetingPlan plan_;
  Clock::time_point deadline_;
  Fd listener_;
  std::vector<std::unique_ptr<Guest>>
      guests_;  ///< ranks that are connected, but have not yet identified themselves
  std::vector<std::unique_ptr<Guest>> seats_;  ///< by rank
  std::optional<Clock::time_point> last_call_;
};

}  // namespace

std::unique_ptr<Door> receive_ranks(const MeetingPlan& plan, Clock::time_point deadline,
                                    std::vector<Fd>& peers) {
  auto reception = std::make_unique<Reception>(plan, deadline);
  reception->run(peers);
  if (peers.size() == plan.launch.world) return nullptr;
  return reception;
}

}  // namespace trainer
