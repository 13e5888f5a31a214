#include "step_s3/wire.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/name_services.h"
#include "kml/net/http/transport.h"
#include "step_s3/proxy.h"
#include "step_s3/tls.h"

namespace kml::step_s3 {

namespace {

constexpr int kSecondsToConnect = 20, kSecondsIdle = 60;

void set_limit(int socket, int seconds) {
  const timeval limit{seconds, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

Fd open_socket(const std::string& host, const std::string& port) {
  use_own_name_services();
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  const std::string server = host + ":" + port;
  if (const int fault = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found))
    throw no_connection(server, ::gai_strerror(fault));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
  int reason = 0;
  for (const addrinfo* each = found; each; each = each->ai_next) {
    Fd socket(::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol));
    if (!socket) continue;
    set_limit(socket.get(), kSecondsToConnect);  // applies to connect(2) too, see socket(7)
    if (::connect(socket.get(), each->ai_addr, each->ai_addrlen) == 0) {
      const int on = 1;
      ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      set_limit(socket.get(), kSecondsIdle);
      return socket;
    }
    reason = errno;
  }
  throw no_connection(server, reason == EINPROGRESS ? "it did not answer in time" : std::strerror(reason));
}

class PlainWire final : public Wire {
 public:
  PlainWire(Fd socket, std::string server) : socket_(std::move(socket)), server_(std::move(server)) {}

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) throw connection_broke(server_, std::strerror(errno));
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }
  size_t read(char* buffer, size_t size) override {
    ssize_t got = 0;
    do got = ::recv(socket_.get(), buffer, size, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0) throw connection_broke(server_, std::strerror(errno));
    return static_cast<size_t>(got);
  }

  Fd release() { return std::move(socket_); }

 private:
  Fd socket_;
  const std::string server_;
};

}  // namespace

Error no_connection(const std::string& server, const std::string& why) {
  Error error(ErrorCode::unreachable, "no response from " + server, why);
  error.reason = http::kNoConnection;
  return error;
}

Error connection_broke(const std::string& server, const std::string& why) {
  Error error(ErrorCode::unreachable, "the connection to " + server + " broke", why);
  error.reason = http::kConnectionBroke;
  return error;
}

std::unique_ptr<Wire> connect(const Peer& peer) {
  const std::string server = peer.host + ":" + peer.port;
  auto plain = std::make_unique<PlainWire>(
      peer.proxy ? open_socket(peer.proxy->host, peer.proxy->port) : open_socket(peer.host, peer.port),
      server);
  if (!peer.tls) return plain;
  if (peer.proxy)
    open_tunnel(
        *plain, *peer.proxy,
        (peer.host.find(':') == std::string::npos ? peer.host : "[" + peer.host + "]") + ":" + peer.port);
  return start_tls(plain->release(), peer);
}

}  // namespace kml::step_s3
