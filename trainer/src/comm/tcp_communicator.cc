#include "comm/tcp_communicator.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "comm/peer_lost.h"
#include "comm/socket.h"

namespace trainer {

namespace {

/// The remaining data to send to one peer, or to receive from it.
template <typename Byte>
struct Queue {
  std::vector<std::span<Byte>> parts;
  size_t next = 0;

  bool empty() {
    while (next < parts.size() && parts[next].empty()) ++next;
    return next == parts.size();
  }
  std::span<Byte>& front() { return parts[next]; }
};

[[noreturn]] void lose(uint32_t rank, const std::string& how) {
  throw PeerLost("rank " + std::to_string(rank) + " " + how);
}

/// It is unknown which of these ranks is the cause: the others may be waiting for it, too.
[[noreturn]] void lose_silent(const std::vector<uint32_t>& ranks, std::chrono::seconds patience) {
  std::string names = (ranks.size() == 1 ? "rank " : "ranks ") + std::to_string(ranks[0]);
  for (size_t i = 1; i < ranks.size(); ++i) names += ", " + std::to_string(ranks[i]);
  throw PeerLost(names + (ranks.size() == 1 ? " has" : " have") + " exchanged nothing for " +
                 std::to_string(patience.count()) + " s (--stall-timeout)");
}

/// Transfers as much as possible without waiting. `move` is send or recv, with its flags.
template <typename Byte, typename Move>
void advance(Queue<Byte>& queue, uint32_t rank, Move move) {
  while (!queue.empty()) {
    const ssize_t moved = move(queue.front());
    if (moved < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (moved < 0) lose(rank, "is lost: " + errno_text(errno));
    if (moved == 0) lose(rank, "has ended");
    queue.front() = queue.front().subspan(static_cast<size_t>(moved));
  }
}

}  // namespace

void TcpCommunicator::do_exchange(std::span<const Send> sends, std::span<const Receive> receives) {
  std::vector<Queue<const std::byte>> out(world());
  std::vector<Queue<std::byte>> in(world());
  for (const Send& send : sends) out[send.to].parts.push_back(send.bytes);
  for (const Receive& receive : receives) in[receive.from].parts.push_back(receive.bytes);
  auto last_moved = std::chrono::steady_clock::now();
  for (;;) {
    std::vector<pollfd> waiting;
    std::vector<uint32_t> ranks;
    for (uint32_t peer = 0; peer < world(); ++peer) {
      const int fd = peers_[peer].get();
      advance(out[peer], peer, [&](auto part) { return send(fd, part.data(), part.size(), MSG_NOSIGNAL); });
      advance(in[peer], peer, [&](auto part) { return recv(fd, part.data(), part.size(), 0); });
      const int events = (out[peer].empty() ? 0 : POLLOUT) | (in[peer].empty() ? 0 : POLLIN);
      if (events == 0) continue;
      waiting.push_back({fd, static_cast<short>(events), 0});
      ranks.push_back(peer);
    }
    if (waiting.empty()) return;
    const int ready = poll(waiting.data(), waiting.size(), 1000);
    const auto now = std::chrono::steady_clock::now();
    if (ready != 0) {
      last_moved = now;
      continue;
    }
    for (size_t i = 0; i < waiting.size(); ++i) {
      if (has_vanished(waiting[i].fd)) lose(ranks[i], "does not respond");
    }
    if (patience_.count() > 0 && now - last_moved >= patience_) lose_silent(ranks, patience_);
  }
}

void TcpCommunicator::check_peers() {
  std::vector<pollfd> peers;
  for (const Fd& fd : peers_)
    peers.push_back({fd.get(), POLLRDHUP, 0});  // poll() ignores this rank's own entry, -1
  poll(peers.data(), peers.size(), 0);
  for (uint32_t peer = 0; peer < world(); ++peer) {
    if (peers[peer].revents) lose(peer, "has ended");
    if (peer != rank() && has_vanished(peers[peer].fd)) lose(peer, "does not respond");
  }
}

}  // namespace trainer
