#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"

namespace trainer {

/// An IPv4 or IPv6 address and port.
struct Address {
  sockaddr_storage storage = {};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  uint16_t port() const;
  void set_port(uint16_t port);
  /// The address in digits, without the port. An IPv4 address of an IPv6 socket is written as IPv4.
  std::string host() const;
  /// "10.0.0.1:29500", "[fd00::1]:29500"
  std::string text() const;
};

/// All IPv4 and IPv6 addresses of a host name. If it has none, the result is empty, and `why` has the reason.
/// Asks DNS at each call.
std::vector<Address> resolve(const std::string& host, uint16_t port, std::string& why);

/// A non-blocking listening socket, on all IPv4 and IPv6 addresses, or only on `only` if that is given. Port
/// 0 means any port. On failure, the result is closed, and errno is set.
Fd listen_at(uint16_t port, const Address* only = nullptr);

/// Begins to connect. Once poll() reports that the socket is writable, connection_error() has the result.
Fd begin_connect(const Address& address);
int connection_error(int fd);

/// Accepts the next waiting connection, as a non-blocking socket. The result is closed if none is waiting.
Fd accept_one(int listener, Address& from);
/// Whether accept_one() failed because file descriptors or memory are exhausted. The connection still waits
/// then, and poll() would at once report the listener again, so another connection must end first.
bool lacks_descriptors(int error);

Address local_address(int fd);
Address peer_address(int fd);

/// Disables the delay of small messages, and makes the kernel notice within about 4 s that the host at the
/// other end of an idle connection has vanished.
void tune(int fd);

/// Whether the host at the other end has not responded for 4 s although it should have. False if only the
/// process there is busy, e.g. with a long checkpoint, because then its host still responds.
bool has_vanished(int fd);

}  // namespace trainer
