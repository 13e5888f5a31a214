#include "pod/streams/loopback.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/system_calls.h"

namespace kml::pod {

namespace {

constexpr int kMostPortTries = 20;

/// Listens at this address. If that fails, returns nothing and sets errno.
Fd listen_at(const sockaddr* address, socklen_t size) {
  Fd socket = make_socket(address->sa_family);
  const int on = 1;
  if (!socket) return {};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address->sa_family == AF_INET6) ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (::bind(socket.get(), address, size) != 0 || ::listen(socket.get(), SOMAXCONN) != 0) return {};
  return socket;
}

Fd listen_on_4(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return listen_at(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

Fd listen_on_6(int port) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  address.sin6_port = htons(static_cast<uint16_t>(port));
  return listen_at(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

int port_of(const Fd& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

[[noreturn]] void cannot_listen(int port, int error) {
  throw system_error("cannot listen on port " + std::to_string(port) + " on this machine", error,
                     "choose another one: LOCAL:REMOTE, or :REMOTE for any free port");
}

}  // namespace

Listeners listen_on_loopback(int port) {
  for (int tries = 1;; ++tries) {
    Listeners listeners{port, {}};
    Fd on_4 = listen_on_4(port);
    if (!on_4) cannot_listen(port, errno);
    listeners.port = port_of(on_4);
    Fd on_6 = listen_on_6(listeners.port);
    const int error = errno;
    listeners.sockets.push_back(std::move(on_4));
    if (on_6) listeners.sockets.push_back(std::move(on_6));
    // On a machine without IPv6, the second address does not exist.
    if (listeners.sockets.size() == 2 || error != EADDRINUSE) return listeners;
    if (port != 0 || tries == kMostPortTries) cannot_listen(listeners.port, error);
  }
}

Fd accept_from(const Fd& listener) {
  Fd socket = next_connection(listener.get());
  const int on = 1;
  if (socket) ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

}  // namespace kml::pod
