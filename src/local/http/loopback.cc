#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <thread>

#include "kml/base/error.h"
#include "local/http/http_server.h"

namespace kml::local {

namespace {

bool bind_loopback(const Fd& socket, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

/// The socket address for a path; empty if the path is too long.
std::optional<sockaddr_un> address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) return {};
  path.native().copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

}  // namespace

Fd listen_on_loopback(int port) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) throw system_error("cannot make a socket", errno);
  // Allows a server to use the same port when it is restarted at once.
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  // A server that was killed a moment ago may still hold the port.
  bool bound = bind_loopback(socket, port);
  for (int attempt = 0; !bound && attempt < 100; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    bound = bind_loopback(socket, port);
  }
  if (!bound && !bind_loopback(socket, 0)) throw system_error("cannot listen on 127.0.0.1", errno);
  if (::listen(socket.get(), 1024) != 0) throw system_error("cannot listen on 127.0.0.1", errno);
  return socket;
}

Fd listen_at(const std::filesystem::path& path) {
  const auto address = address_of(path);
  if (!address) return {};
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  ::unlink(path.c_str());  // an earlier server that was killed may have left it
  const bool listens =
      socket && ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0 &&
      ::chmod(path.c_str(), 0600) == 0 && ::listen(socket.get(), 128) == 0;
  return listens ? std::move(socket) : Fd();
}

bool replies_at(const std::filesystem::path& path, std::chrono::milliseconds patience) {
  const auto address = address_of(path);
  if (!address) return false;
  const Fd connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval limit{.tv_sec = patience.count() / 1000, .tv_usec = patience.count() % 1000 * 1000};
  for (int direction : {SO_SNDTIMEO, SO_RCVTIMEO})
    ::setsockopt(connection.get(), SOL_SOCKET, direction, &limit, sizeof limit);
  constexpr std::string_view kRequest = "GET /readyz HTTP/1.0\r\n\r\n";
  char first = 0;
  return ::connect(connection.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0 &&
         ::send(connection.get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL) > 0 &&
         ::recv(connection.get(), &first, 1, 0) == 1;
}

int port_of(const Fd& listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw system_error("cannot read the port of a socket", errno);
  return ntohs(address.sin_port);
}

}  // namespace kml::local
