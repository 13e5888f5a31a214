#pragma once

#include <microhttpd.h>
#include <sys/types.h>

#include <string>

namespace kml::local {

/// Reads and writes a connection after its upgrade. It still belongs to libmicrohttpd, which will close it.
/// With TLS, this uses the TLS session directly, because libmicrohttpd's own forwarding is too slow: it has a
/// buffer of 4 bytes (0.9.75 uses what the headers have left of its pool), sends each buffer as one record,
/// and reaches 0.35 MB/s.
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
