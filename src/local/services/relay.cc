#include "local/services/relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "kml/base/system_calls.h"

namespace kml::local {

namespace {

using namespace std::chrono_literals;

constexpr auto kConnectPatience = 10s;
/// How long a target on another machine may take to accept a connection.
constexpr auto kToConnect = 3s;
constexpr auto kBetweenTries = 20ms;
constexpr size_t kRelayPiece = 64 << 10;
/// After this many pieces, other connections get their turn.
constexpr int kPiecesAtOnce = 16;

void send_at_once(const Fd& socket) {
  const int yes = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

/// Starts to connect. Empty if this fails at once.
Fd connecting_to(const RouteTarget& target) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(target.port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_in6 wide{};
  wide.sin6_family = AF_INET6;
  wide.sin6_port = address.sin_port;
  const bool is_wide = ::inet_pton(AF_INET6, target.address.c_str(), &wide.sin6_addr) == 1;
  if (!is_wide && !target.address.empty() &&
      ::inet_pton(AF_INET, target.address.c_str(), &address.sin_addr) != 1)
    return {};
  Fd socket(::socket(is_wide ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const auto* where =
      is_wide ? reinterpret_cast<const sockaddr*>(&wide) : reinterpret_cast<const sockaddr*>(&address);
  const socklen_t size = is_wide ? sizeof wide : sizeof address;
  if (!socket || (::connect(socket.get(), where, size) != 0 && errno != EINPROGRESS)) return {};
  return socket;
}

constexpr uint32_t kAllEvents = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;

bool is_ending(uint32_t events) {
  return (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
}
bool can_read(uint32_t events) {
  return is_ending(events) || (events & EPOLLIN) != 0;
}
bool can_write(uint32_t events) {
  return (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0;
}

}  // namespace

Relay::Relay(EventLoop& loop, Fd client, std::shared_ptr<Traffic> traffic,
             std::function<std::vector<RouteTarget>()> targets, std::function<void()> ended)
    : loop_(loop),
      client_(std::move(client)),
      traffic_(std::move(traffic)),
      targets_(std::move(targets)),
      ended_(std::move(ended)),
      deadline_(std::chrono::steady_clock::now() + kConnectPatience),
      last_(std::chrono::steady_clock::now()) {
  notice_vanished_peer(client_.get());
  send_at_once(client_);
  try_again();
}

Relay::~Relay() {
  loop_.cancel(timer_);
  if (target_) loop_.forget(target_.get());
  if (connected_) loop_.forget(client_.get());
  note_use(is_in_use(), false);
}

void Relay::try_again() {
  untried_ = targets_();
  std::reverse(untried_.begin(), untried_.end());
  try_next();
}

void Relay::try_next() {
  if (target_) loop_.forget(target_.get());
  loop_.cancel(timer_);
  target_ = Fd();
  while (!untried_.empty()) {
    const RouteTarget target = std::move(untried_.back());
    untried_.pop_back();
    target_ = connecting_to(target);
    if (!target_) continue;
    send_at_once(target_);
    notice_vanished_peer(target_.get());
    if (!target.address.empty()) timer_ = loop_.after(kToConnect, [this] { try_next(); });
    return loop_.watch(target_.get(), kAllEvents, [this](uint32_t events) { on_target(events); });
  }
  const bool is_late = std::chrono::steady_clock::now() >= deadline_;
  timer_ = loop_.after(is_late ? 0ms : kBetweenTries, [this, is_late] { is_late ? end() : try_again(); });
}

void Relay::on_target(uint32_t events) {
  if (!connected_) {
    int failure = 0;
    socklen_t size = sizeof failure;
    ::getsockopt(target_.get(), SOL_SOCKET, SO_ERROR, &failure, &size);
    if (failure != 0) return try_next();
    sockaddr_storage peer{};
    size = sizeof peer;
    if (::getpeername(target_.get(), reinterpret_cast<sockaddr*>(&peer), &size) != 0) return;  // not yet
    connected_ = true;
    loop_.cancel(timer_);
    loop_.watch(client_.get(), kAllEvents, [this](uint32_t news) {
      to_target_.is_ending |= is_ending(news);
      pass_on(can_read(news), can_write(news) && !to_client_.held.empty());
    });
  }
  to_client_.is_ending |= is_ending(events);
  pass_on(can_write(events) && !to_target_.held.empty(), can_read(events));
}

void Relay::pass_on(bool to_target, bool to_client) {
  const bool more_to_target = to_target && pump(client_, target_, to_target_),
             more_to_client = to_client && pump(target_, client_, to_client_);
  if (to_target_.done && to_client_.done) return end();
  if (!more_to_target && !more_to_client) return;
  loop_.cancel(timer_);
  // Handles both directions, because the cancelled timer may have been set for the other direction.
  timer_ = loop_.after(0ms, [this] { pass_on(true, true); });
}

/// Passes on data in one direction. Returns whether more can be read at once.
bool Relay::pump(const Fd& from, const Fd& to, Direction& direction) {
  char piece[kRelayPiece];
  // If a read returned less than requested, it has returned all available bytes, unless the end follows.
  // Later bytes cause another event.
  bool is_drained = false;
  for (int count = 0; !direction.done && count < kPiecesAtOnce; ++count) {
    if (direction.held.empty() && !direction.no_more) {
      if (is_drained) return false;
      const ssize_t got = ::recv(from.get(), piece, sizeof piece, 0);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return errno == EINTR;
      is_drained = !direction.is_ending && got > 0 && static_cast<size_t>(got) < sizeof piece;
      last_ = std::chrono::steady_clock::now();
      if (got > 0) note_bytes(&direction == &to_target_, {piece, static_cast<size_t>(got)});
      if (got > 0)
        direction.held.assign(piece, static_cast<size_t>(got));
      else
        direction.no_more = true;
    }
    if (direction.held.empty()) {
      ::shutdown(to.get(), SHUT_WR);
      direction.done = true;
      return false;
    }
    const ssize_t sent = ::send(to.get(), direction.held.data(), direction.held.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return errno == EINTR;
    if (sent < 0) {
      // The receiver has closed its side, so the sender need not send any more.
      ::shutdown(from.get(), SHUT_RD);
      direction.held.clear();
      direction.done = true;
      return false;
    }
    direction.held.erase(0, static_cast<size_t>(sent));
  }
  return !direction.done;
}

void Relay::note_bytes(bool is_from_client, std::string_view bytes) {
  const bool before = is_in_use();
  is_from_client ? requests_.from_client(bytes) : requests_.from_server(bytes);
  note_use(before, is_in_use());
}

void Relay::note_use(bool before, bool after) {
  if (!before && !after) return;
  traffic_->last = std::chrono::steady_clock::now();
  traffic_->in_use += (after ? 1 : 0) - (before ? 1 : 0);
  if (const auto used = std::exchange(traffic_->used, nullptr)) used();
}

void Relay::end() {
  if (const auto ended = std::exchange(ended_, nullptr)) ended();
}

}  // namespace kml::local
