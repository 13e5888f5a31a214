#pragma once

#include <microhttpd.h>
#include <sys/types.h>

#include <string>

namespace kml::local {

/// The bytes of a connection that libmicrohttpd has let go of, but for its end. Behind TLS it would pass them
/// on through 4 bytes of memory (0.9.75 takes what its pool has left, and the headers have taken all), each a
/// record of its own: 0.35 MB/s. So its TLS session is used here, without it.
class UpgradedWire {
 public:
  /// Inside libmicrohttpd's upgrade handler, before it reads again. `plain` is the socket that it gives.
  UpgradedWire(MHD_Connection* connection, int plain);

  /// The client's socket, for events.
  int socket() const { return socket_; }
  /// What had been read already.
  std::string take_early();

  /// As recv(2) and send(2): negative with errno, EAGAIN where it would block.
  ssize_t receive(char* buffer, size_t space);
  ssize_t send(const char* bytes, size_t count);

 private:
  int socket_;
  void* session_ = nullptr;  ///< gnutls_session_t, libmicrohttpd's; null without TLS
};

}  // namespace kml::local
