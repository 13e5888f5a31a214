#pragma once

#include <microhttpd.h>
#include <sys/types.h>

#include <string>

namespace kml::local {

/// Reads and writes a connection after its upgrade; libmicrohttpd still closes it. With TLS, libmicrohttpd's
/// own forwarding uses a buffer of 4 bytes (0.9.75 takes the rest of its pool, which the headers have used
/// up) and sends each as one record, which reaches 0.35 MB/s. So this uses the TLS session directly.
class UpgradedWire {
 public:
  /// Call inside libmicrohttpd's upgrade handler, before libmicrohttpd reads again. `plain` is the socket
  /// that the handler gets.
  UpgradedWire(MHD_Connection* connection, int plain);

  /// The client's socket, for events.
  int socket() const { return socket_; }
  /// Returns the bytes that had already been read.
  std::string take_early();

  /// Like recv(2) and send(2): negative with errno on failure, which is EAGAIN if the call would block.
  ssize_t receive(char* buffer, size_t space);
  ssize_t send(const char* bytes, size_t count);

 private:
  int socket_;
  void* session_ = nullptr;  ///< libmicrohttpd's gnutls_session_t; null without TLS
};

}  // namespace kml::local
