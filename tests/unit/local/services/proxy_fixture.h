#pragma once

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "kml/base/files.h"
#include "local/controllers/master_port.h"
#include "local/http/http_server.h"
#include "local/loop/event_loop.h"
#include "local/services/routes.h"
#include "local/shim/status_file.h"
#include "support/temporary_folder.h"

namespace kml::local {

/// A proxy in this process, between a client and a server that the test plays.
class ProxyFixture {
 public:
  ProxyFixture() { make_private_folder(folder.path); }

  void route_to(const std::vector<RouteTarget>& targets) { route({"default/web", port, targets}); }
  void route(const ServiceRoute& route) { REQUIRE(file.write(to_json(std::vector{route}))); }
  void turn(std::chrono::milliseconds time) {
    loop.after(time, [this] { loop.stop(); });
    loop.run();
  }
  /// Returns false if the condition does not hold within five minutes.
  template <typename Condition>
  bool turn_until(Condition condition) {
    for (int i = 0; i < 60'000; ++i) {
      if (condition()) return true;
      turn(std::chrono::milliseconds(5));
    }
    return false;
  }
  Fd client(in_addr_t to = INADDR_LOOPBACK) const {
    Fd socket(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(to);
    return ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0
               ? std::move(socket)
               : Fd();
  }
  /// The connection that waits at the listener; empty if there is none.
  static Fd accepted(const Fd& listener) {
    return Fd(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK));
  }
  static std::string read(const Fd& socket) {
    char buffer[1 << 16];
    const ssize_t got = ::recv(socket.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    return got < 0 ? "" : got == 0 ? "END" : std::string(buffer, static_cast<size_t>(got));
  }

  TemporaryFolder temporary;
  PodFolder folder = proxy_folder(temporary.path());
  StatusFile file{folder};
  EventLoop loop;
  const int port = find_free_port({});
};

}  // namespace kml::local
