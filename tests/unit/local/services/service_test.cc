#include <doctest/doctest.h>
#include <sys/socket.h>

#include "kml/base/files.h"
#include "kml/kube/objects/labels.h"
#include "local/services/proxy.h"
#include "local/services/proxy_fixture.h"
#include "local/services/service_pods.h"

namespace service_test {

using namespace kml;
using namespace kml::local;

TEST_CASE_FIXTURE(ProxyFixture,
                  "proxy: bytes pass in both directions, and connections go to the targets in turn") {
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
                  "proxy: a connection waits for a target, and keeps this target when the routes change") {
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

TEST_CASE_FIXTURE(ProxyFixture,
                  "proxy: a public port is open at all addresses, another one only at 127.0.0.1") {
  constexpr in_addr_t kOtherAddress = 0x7f000002;  // 127.0.0.2
  const Fd target = listen_on_loopback(0);
  ServiceRoute one{.service = "default/web", .port = port, .targets = {{port_of(target), "127.0.0.1"}}};
  SUBCASE("public") {
    one.is_public = true;
    route(one);
    Proxy proxy(loop, folder);
    const Fd other = client(kOtherAddress);
    REQUIRE(other);
    Fd there;
    REQUIRE(turn_until([&] { return (there = accepted(target)) ? true : false; }));
    REQUIRE(::send(other.get(), "hello", 5, 0) == 5);
    REQUIRE(turn_until([&] { return read(there) == "hello"; }));
  }
  SUBCASE("on this machine only") {
    route(one);
    Proxy proxy(loop, folder);
    CHECK_FALSE(client(kOtherAddress));
    CHECK(client());
  }
}

TEST_CASE("proxy: written routes are read back") {
  const std::vector<ServiceRoute> routes = {{.service = "a/b", .port = 1, .targets = {{2, "::1"}, {3}}}};
  CHECK(routes_from_json(to_json(routes)).at(0).targets == routes[0].targets);
}

TEST_CASE(
    "service: by default, only pods that are ready and not being deleted get connections, each at its own "
    "port") {
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
