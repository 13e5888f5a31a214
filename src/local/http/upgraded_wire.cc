#include "local/http/upgraded_wire.h"

#include <gnutls/gnutls.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "local/http/gnutls.h"
#include "local/http/http_stream.h"

namespace kml::local {

namespace {

struct RecordLayer {
// A declaration cannot stand in parentheses. NOLINTNEXTLINE(bugprone-macro-parentheses)
#define KML_GNUTLS(name) decltype(gnutls_##name)* name = KML_FUNCTION(gnutls(), gnutls_##name)
  KML_GNUTLS(record_recv);
  KML_GNUTLS(record_send);
  KML_GNUTLS(record_check_pending);
  KML_GNUTLS(transport_set_pull_function);
#undef KML_GNUTLS
};

const RecordLayer& records() {
  static const RecordLayer loaded;
  return loaded;
}

// The maximum size of a TLS record. After a smaller read, bytes could be left in the session, and
// libmicrohttpd could take them.
constexpr size_t kLargestRecord = size_t{16} << 10;

/// True only while code in this file reads. Otherwise libmicrohttpd, which still receives the socket's
/// events, would read the bytes.
bool may_pull = false;

ssize_t pull(gnutls_transport_ptr_t socket, void* buffer, size_t space) {
  if (!may_pull) {
    errno = EAGAIN;
    return -1;
  }
  return ::recv(static_cast<int>(reinterpret_cast<intptr_t>(socket)), buffer, space, 0);
}

ssize_t as_errno(ssize_t result) {
  if (result >= 0) return result;
  errno = result == GNUTLS_E_AGAIN ? EAGAIN : result == GNUTLS_E_INTERRUPTED ? EINTR : ECONNRESET;
  return -1;
}

}  // namespace

UpgradedWire::UpgradedWire(MHD_Connection* connection, int plain) : socket_(plain) {
  const MHD_ConnectionInfo* info =
      microhttpd().get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  if (!info || !info->tls_session) return;
  session_ = info->tls_session;
  socket_ = microhttpd().get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
  records().transport_set_pull_function(static_cast<gnutls_session_t>(session_), pull);
}

std::string UpgradedWire::take_early() {
  std::string early;
  char buffer[kLargestRecord];
  while (session_ && records().record_check_pending(static_cast<gnutls_session_t>(session_)) > 0) {
    const ssize_t got = receive(buffer, sizeof buffer);
    if (got <= 0) break;
    early.append(buffer, static_cast<size_t>(got));
  }
  return early;
}

ssize_t UpgradedWire::receive(char* buffer, size_t space) {
  if (!session_) return ::recv(socket_, buffer, space, 0);
  may_pull = true;
  const ssize_t got = records().record_recv(static_cast<gnutls_session_t>(session_), buffer, space);
  may_pull = false;
  return as_errno(got);
}

ssize_t UpgradedWire::send(const char* bytes, size_t count) {
  if (!session_) return ::send(socket_, bytes, count, MSG_NOSIGNAL);
  return as_errno(
      records().record_send(static_cast<gnutls_session_t>(session_), bytes, std::min(count, kLargestRecord)));
}

}  // namespace kml::local
