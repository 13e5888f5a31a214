#include <doctest/doctest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kml/api/labels.h"
#include "kml/core/files.h"
#include "local/http/http_server.h"
#include "local/node_fixture.h"
#include "local/services/proxy.h"
#include "local/services/service_controller.h"

namespace service_test {

using namespace kml;
using namespace kml::local;

namespace {

/// A proxy in this process, between a client and a server that the test plays.
class ProxyFixture {
 public:
  ProxyFixture() {
    make_private_folder(folder.path);
    const Fd free = listen_on_loopback(0);
    port = port_of(free);
  }

  void route_to(const std::vector<int>& targets) {
    REQUIRE(file.write(to_json(std::vector<ServiceRoute>{{"default/web", port, targets}})));
  }
  void turn(std::chrono::milliseconds time) {
    loop.after(time, [this] { loop.stop(); });
    loop.run();
  }
  template <typename Condition>
  bool turn_until(Condition condition) {
    for (int i = 0; i < 2000; ++i) {
      if (condition()) return true;
      turn(std::chrono::milliseconds(5));
    }
    return false;
  }
  Fd client() const {
    Fd socket(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0
               ? std::move(socket)
               : Fd();
  }
  /// The connection that the listener has; empty if there is none.
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
  int port = 0;
};

}  // namespace

TEST_CASE_FIXTURE(ProxyFixture, "proxy: passes bytes both ways, and connections to the targets in turn") {
  const Fd first = listen_on_loopback(0), second = listen_on_loopback(0);
  route_to({port_of(first), port_of(second)});
  Proxy proxy(loop, folder);
  const Fd one = client(), two = client();
  REQUIRE(one);
  REQUIRE(two);
  Fd at_first, at_second;
  REQUIRE(turn_until([&] {
    if (!at_first) at_first = accepted(first);
    if (!at_second) at_second = accepted(second);
    return at_first && at_second;
  }));
  const std::string large(300'000, 'x');
  std::string got;
  REQUIRE(::send(one.get(), "hello", 5, 0) == 5);
  REQUIRE(turn_until([&] { return (got += read(at_first)) == "hello"; }));
  got.clear();
  size_t sent = 0;
  REQUIRE(turn_until([&] {
    const ssize_t now =
        ::send(at_first.get(), large.data() + sent, large.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (now > 0) sent += static_cast<size_t>(now);
    got += read(one);
    return got.size() == large.size();
  }));
  // The end of one direction leaves the other open.
  ::shutdown(one.get(), SHUT_WR);
  REQUIRE(turn_until([&] { return read(at_first) == "END"; }));
  REQUIRE(::send(at_first.get(), "bye", 3, 0) == 3);
  REQUIRE(turn_until([&] { return read(one) == "bye"; }));
  at_first = Fd();
  REQUIRE(turn_until([&] { return read(one) == "END"; }));
}

TEST_CASE_FIXTURE(ProxyFixture,
                  "proxy: a connection waits for a target, and keeps it when the routes change") {
  route_to({});
  Proxy proxy(loop, folder);
  const Fd one = client();
  REQUIRE(one);
  turn(std::chrono::milliseconds(50));
  const Fd target = listen_on_loopback(0);
  Fd dead = listen_on_loopback(0);
  const int dead_port = port_of(dead);
  dead = Fd();
  route_to({dead_port, port_of(target)});
  Fd there;
  REQUIRE(turn_until([&] { return (there = accepted(target)) ? true : false; }));
  route_to({});
  turn(std::chrono::milliseconds(50));
  REQUIRE(::send(one.get(), "still", 5, 0) == 5);
  REQUIRE(turn_until([&] { return read(there) == "still"; }));
}

TEST_CASE("service: only pods that are ready and not being deleted get connections, at their own ports") {
  const auto pod = [](const std::string& app, bool ready) {
    return Json{{"metadata", {{"labels", {{"app", app}}}, {"annotations", {{api::kPorts, "8080=21000"}}}}},
                {"spec", {{"containers", {{{"ports", {{{"name", "http"}, {"containerPort", 8080}}}}}}}}},
                {"status",
                 {{"phase", "Running"},
                  {"conditions", {{{"type", "Ready"}, {"status", ready ? "True" : "False"}}}}}}};
  };
  const auto targets = [&](const Json& object, const Json& port, const Json& more = Json::object()) {
    Json service = {{"spec", {{"selector", {{"app", "web"}}}}}};
    service["spec"].update(more);
    return targets_of(service, port, {std::make_shared<Json>(object)});
  };
  const Json web = pod("web", true);
  CHECK(targets(web, {{"port", 80}, {"targetPort", 8080}}) == std::vector{21000});
  CHECK(targets(web, {{"port", 80}, {"targetPort", "http"}}) == std::vector{21000});
  CHECK(targets(web, {{"port", 80}, {"targetPort", 9090}}) == std::vector{9090});
  CHECK(targets(web, {{"port", 80}, {"targetPort", "other"}}).empty());
  CHECK(targets(pod("other", true), {{"port", 8080}}).empty());
  CHECK(targets(pod("web", false), {{"port", 8080}}).empty());
  CHECK(targets(pod("web", false), {{"port", 8080}}, {{"publishNotReadyAddresses", true}}).size() == 1);
  Json deleted = web;
  deleted["metadata"]["deletionTimestamp"] = "2026-11-25T12:00:00Z";
  CHECK(targets(deleted, {{"port", 8080}}).empty());
}

}  // namespace service_test
