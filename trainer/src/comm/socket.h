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
  /// Numeric, without the port. An IPv4 address that came over an IPv6 socket is written as IPv4.
  std::string host() const;
  /// "10.0.0.1:29500", "[fd00::1]:29500"
  std::string text() const;
};

/// All addresses of a name, of both families. Empty where there are none, with the reason in `why`. Asks DNS
/// anew each time.
std::vector<Address> resolve(const std::string& host, uint16_t port, std::string& why);

/// A socket that listens, non-blocking: on all addresses of both families, or on `only` where it is given.
/// Port 0: any. Not open, with errno set, where that is not possible.
Fd listen_at(uint16_t port, const Address* only = nullptr);

/// Begins a connection; poll() for writing tells when connection_error() is meaningful.
Fd begin_connect(const Address& address);
int connection_error(int fd);

/// The next waiting connection, non-blocking; not open where there is none.
Fd accept_one(int listener, Address& from);

Address local_address(int fd);
Address peer_address(int fd);

/// No delay of small messages, and a host that vanishes is noticed within some 4 s.
void tune(int fd);

/// Whether the host at the other end has not answered for 4 s though it should have. A process that is busy,
/// as with a long checkpoint, is not meant: its host answers.
bool has_vanished(int fd);

}  // namespace trainer
