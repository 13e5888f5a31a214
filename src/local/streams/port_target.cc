#include "local/streams/port_target.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "local/http/http_server.h"
#include "local/streams/stream_request.h"

namespace kml::local {

namespace {

/// The number of targets in all sessions. It is limited, so that enough descriptors are left for requests.
size_t open_targets = 0;

constexpr int kReadsOfTarget = 16;

int start_to_connect(const Fd& socket, int family, int port) {
  if (family == AF_INET) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  address.sin6_port = htons(static_cast<uint16_t>(port));
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

}  // namespace

PortTarget::PortTarget(EventLoop& loop, int port, Callbacks callbacks)
    : loop_(loop), port_(port), callbacks_(std::move(callbacks)) {
  ++open_targets;
  // Not called in the constructor, because the caller does not have this object yet.
  pump_is_due_ = true;
  pump_timer_ = loop_.after(std::chrono::nanoseconds(0), [this] {
    pump_is_due_ = false;
    if (open_targets > connections_by_open_files() / 3) return end("too many connections are open");
    connect();
  });
}

PortTarget::~PortTarget() {
  --open_targets;
  if (pump_is_due_) loop_.cancel(pump_timer_);
  if (socket_) loop_.forget(socket_.get());
}

void PortTarget::connect() {
  constexpr int kFamilies[] = {AF_INET, AF_INET6};
  int failure = ECONNREFUSED;
  while (tried_ < 2) {
    const int family = kFamilies[tried_++];
    socket_ = Fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket_ || (start_to_connect(socket_, family, port_) != 0 && errno != EINPROGRESS)) {
      failure = errno;
      socket_ = Fd();
      continue;
    }
    const int yes = 1;
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    loop_.watch(socket_.get(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, [this](uint32_t) { on_events(); });
    return;
  }
  end(fmt::format("dial tcp 127.0.0.1:{}: connect: {}", port_, std::strerror(failure)));
}

void PortTarget::on_events() {
  if (!connected_) {
    int failure = 0;
    socklen_t size = sizeof failure;
    ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &failure, &size);
    if (failure != 0) {
      loop_.forget(socket_.get());
      socket_ = Fd();
      return tried_ < 2
                 ? connect()
                 : end(fmt::format("dial tcp 127.0.0.1:{}: connect: {}", port_, std::strerror(failure)));
    }
    sockaddr_storage peer{};
    size = sizeof peer;
    if (::getpeername(socket_.get(), reinterpret_cast<sockaddr*>(&peer), &size) != 0) return;  // not yet
    connected_ = true;
  }
  flush();
  pump();
}

void PortTarget::write(std::string_view bytes) {
  if (ended_ || input_ends_) return;
  to_target_ += bytes;
  flush();
}

void PortTarget::end_input() {
  input_ends_ = true;
  flush();
}

void PortTarget::flush() {
  if (ended_ || !connected_) return;
  bool wrote = false;
  while (!to_target_.empty()) {
    const ssize_t sent = ::send(socket_.get(), to_target_.data(), to_target_.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) break;
    // The target may have written something before it closed the connection, so its output is still read to
    // the end.
    if (sent <= 0)
      to_target_.clear();
    else
      to_target_.erase(0, static_cast<size_t>(sent));
    wrote = true;
  }
  if (to_target_.empty() && input_ends_) ::shutdown(socket_.get(), SHUT_WR);
  if (wrote) callbacks_.written();
}

void PortTarget::pump() {
  for (int count = 0; !ended_ && connected_ && callbacks_.has_room(); ++count) {
    if (count == kReadsOfTarget) {
      if (std::exchange(pump_is_due_, true)) return;
      pump_timer_ = loop_.after(std::chrono::nanoseconds(0), [this] {
        pump_is_due_ = false;
        pump();
      });
      return;
    }
    char buffer[kLargestMessage - 64];
    const ssize_t got = ::recv(socket_.get(), buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return end("");
    callbacks_.received({buffer, static_cast<size_t>(got)});
  }
}

void PortTarget::end(const std::string& problem) {
  if (std::exchange(ended_, true)) return;
  if (socket_) loop_.forget(socket_.get());
  socket_ = Fd();
  to_target_.clear();
  callbacks_.ended(problem);
}

}  // namespace kml::local
