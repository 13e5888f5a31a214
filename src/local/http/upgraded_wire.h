#pragma once

#include <microhttpd.h>
#include <sys/types.h>

#include <string>

namespace kml::local {

/// Reads and writes a connection after its upgrade. The connection still belongs to libmicrohttpd, which will
/// close it. With TLS, this class uses the TLS session directly, because libmicrohttpd's own forwarding
/// reaches only 0.35 MB/s: it sends a record for each 4 bytes, the size of its buffer (in 0.9.75, the part of
/// its pool that the headers have left).
class UpgradedWire {
 public:
  /// Call this in libmicrohttpd's upgrade handler, before libmicrohttpd reads again. `plain` is the socket
  /// that the handler receives.
  UpgradedWire(MHD_Connection* connection, int plain);

  /// The client's socket, for events only.
  int socket() const { return socket_; }
  /// Returns the bytes that were already read.
  std::string take_early();

  /// Like recv(2) and send(2): on failure, returns a negative number and sets errno, to EAGAIN if the call
  /// would block.
  ssize_t receive(char* buffer, size_t space);
  ssize_t send(const char* bytes, size_t count);

 private:
  int socket_;
  void* session_ = nullptr;  ///< libmicrohttpd's gnutls_session_t; null without TLS
};

}  // namespace kml::local
