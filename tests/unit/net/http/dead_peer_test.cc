#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <filesystem>

#include "kml/net/http/transport.h"
#include "support/scripted_server.h"

namespace dead_peer_test {

using namespace kml;
using namespace kml::http;

namespace {

/// This process's socket that is connected to that port of this machine; -1 if there is none.
int socket_to(int port) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::stoi(entry.path().filename());
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0 && peer.sin_family == AF_INET &&
        ntohs(peer.sin_port) == port)
      return fd;
  }
  return -1;
}

int option(int fd, int level, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  REQUIRE(::getsockopt(fd, level, name, &value, &size) == 0);
  return value;
}

}  // namespace

TEST_CASE(
    "transport: the system notices within a minute that a peer has vanished, even during an idle watch") {
  ScriptedServer server([](const ReceivedRequest&, ServerConnection& connection) {
    connection.begin_chunks();
    connection.wait_for_close();
  });
  auto transport = make_curl_transport({.url = server.url()});
  bool open = false;
  auto stream = transport->stream({.path = "/watch"}, {.on_headers = [&](const Response&) { open = true; },
                                                       .on_data = [](std::string_view) { return true; },
                                                       .on_end = [](const Response&, const Error*) {}});
  while (!open) transport->wait(std::chrono::seconds(10));
  const int fd = socket_to(server.port());
  REQUIRE(fd >= 0);
  CHECK(option(fd, SOL_SOCKET, SO_KEEPALIVE) != 0);
  const int idle = option(fd, IPPROTO_TCP, TCP_KEEPIDLE), interval = option(fd, IPPROTO_TCP, TCP_KEEPINTVL);
  CHECK(idle + interval * option(fd, IPPROTO_TCP, TCP_KEEPCNT) <= 60);
  CHECK(option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT) <= 60'000);
}

}  // namespace dead_peer_test
