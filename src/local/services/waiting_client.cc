#include "local/services/waiting_client.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <utility>

namespace kml::local {

namespace {

using namespace std::chrono_literals;

/// How long a client may take to read the response.
constexpr auto kToRead = 2s;

/// Reads and discards the available input, up to 4 MiB. Returns whether the client may send more.
bool drain(const Fd& socket) {
  char piece[64 << 10];
  for (int count = 0; count < 64; ++count) {
    const ssize_t got = ::recv(socket.get(), piece, sizeof piece, 0);
    if (got == 0) return false;
    if (got < 0 && errno != EINTR) return errno == EAGAIN;
  }
  return true;
}

}  // namespace

WaitingClient::WaitingClient(EventLoop& loop, Fd client, Events events)
    : loop_(loop), client_(std::move(client)), events_(std::move(events)) {
  // The client's bytes stay in the socket, so that a relay can read them. Only new bytes cause an event.
  loop_.watch(client_.get(), EPOLLIN | EPOLLRDHUP | EPOLLET, [this](uint32_t news) { on_event(news); });
}

WaitingClient::~WaitingClient() {
  loop_.cancel(timer_);
  if (client_) loop_.forget(client_.get());
}

void WaitingClient::on_event(uint32_t events) {
  if (is_refused_) {
    if (!drain(client_)) end();
    return;
  }
  char first;
  const ssize_t got = ::recv(client_.get(), &first, 1, MSG_PEEK);
  const bool is_gone = got == 0 || (events & (EPOLLHUP | EPOLLERR)) != 0;
  if (is_gone) return end();
  if (got > 0 && !std::exchange(has_asked_, true)) events_.asked();
}

Fd WaitingClient::release() {
  loop_.forget(client_.get());
  return std::move(client_);
}

void WaitingClient::refuse(std::string_view why) {
  if (std::exchange(is_refused_, true)) return;
  const std::string answer = fmt::format(
      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n"
      "Retry-After: 10\r\nConnection: close\r\n\r\n{}\n",
      why.size() + 1, why);
  // The response fits into the socket's empty buffer.
  [[maybe_unused]] const ssize_t sent =
      ::send(client_.get(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(client_.get(), SHUT_WR);
  // If bytes were left unread when the socket is closed, the client would lose the response.
  drain(client_);
  timer_ = loop_.after(kToRead, [this] { end(); });
}

void WaitingClient::end() {
  if (const auto ended = std::exchange(events_.ended, nullptr)) ended();
}

}  // namespace kml::local
