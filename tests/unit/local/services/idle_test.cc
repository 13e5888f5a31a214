#include <doctest/doctest.h>
#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/kube/objects/idle.h"
#include "local/events/event_recorder.h"
#include "local/http/http_server.h"
#include "local/services/activator.h"
#include "local/services/proxy.h"
#include "local/services/proxy_fixture.h"
#include "local/store/object.h"
#include "local/store/store.h"

namespace idle_test {

using namespace kml;
using namespace kml::local;
using namespace std::chrono_literals;

namespace {

class IdleFixture : public ProxyFixture {
 public:
  ServiceRoute idle_route(std::vector<RouteTarget> targets, std::chrono::seconds idle = 1h) const {
    return {.service = "default/web", .port = port, .targets = std::move(targets), .idle = idle};
  }
  Demand demand() const {
    const auto status = read_status(demand_folder(folder));
    return status ? demand_from_json(*status) : Demand();
  }
  bool is_wanted() const { return demand() == Demand{.wanted = {port}, .idle = {}}; }
  bool is_idle() const { return demand() == Demand{.wanted = {}, .idle = {port}}; }
  static void say(const Fd& socket, std::string_view text) {
    REQUIRE(::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(text.size()));
  }
  static void ask(const Fd& socket) { say(socket, "GET /"); }
  /// All that the client receives until the end of the connection.
  std::string answer(const Fd& socket) {
    std::string text;
    turn_until([&] { return (text += read(socket)).ends_with("END"); });
    return text;
  }
};

/// A Deployment of two replicas, all of them available, and its Service.
class ActivatorFixture : public ProxyFixture {
 public:
  ActivatorFixture() {
    store.create(local::kinds::deployment, Json::parse(R"({"metadata": {"name": "web", "namespace": "default",
      "annotations": {"kml.dev/idle": "600s"}}, "spec": {"replicas": 2, "template": {"metadata": {"labels":
      {"app": "web"}}}}, "status": {"updatedReplicas": 2, "replicas": 2, "availableReplicas": 2, "observedGeneration": 1}})"));
    store.create(local::kinds::service,
                 Json{{"metadata", {{"name", "web"}, {"namespace", "default"}}},
                      {"spec",
                       {{"selector", {{"app", "web"}}},
                        {"ports", Json::array({{{"port", 80}, {"nodePort", port}}})}}}});
    activator.recover();
    turn(1ms);
  }
  void report(const Demand& demand) { REQUIRE(demand_file.write(to_json(demand))); }
  Json deployment() const { return *store.get(local::kinds::deployment, "default", "web"); }
  long long replicas() const { return int_at(deployment(), {"spec", "replicas"}); }

  Store store{temporary.path() / "objects", system_clock()};
  EventRecorder events{loop, store, system_clock()};
  Activator activator{loop, store, events, folder};
  StatusFile demand_file{demand_folder(folder)};
};

}  // namespace

TEST_CASE_FIXTURE(IdleFixture,
                  "idle: a request causes a pod to start, and goes to the first one that is ready") {
  route(idle_route({}));
  Proxy proxy(loop, folder);
  const Fd silent = client(), asking = client();
  turn(20ms);
  CHECK(demand() == Demand());  // a connection without a request causes no demand
  ask(asking);
  REQUIRE(turn_until([&] { return is_wanted(); }));
  const Fd pod = listen_on_loopback(0);
  route(idle_route({port_of(pod)}));
  std::string got;
  std::vector<Fd> there;
  REQUIRE(turn_until([&] {
    if (Fd next = accepted(pod)) there.push_back(std::move(next));
    for (const Fd& connection : there) got += read(connection);
    return got == "GET /" && there.size() == 2;
  }));
  CHECK(turn_until([&] { return demand() == Demand(); }));
}

TEST_CASE_FIXTURE(IdleFixture, "idle: a waiting client that disconnects no longer causes a pod to start") {
  route(idle_route({}));
  Proxy proxy(loop, folder);
  Fd one = client();
  ask(one);
  REQUIRE(turn_until([&] { return is_wanted(); }));
  const linger reset{1, 0};
  ::setsockopt(one.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  one = Fd();
  CHECK(turn_until([&] { return demand() == Demand(); }));
}

TEST_CASE_FIXTURE(IdleFixture, "idle: requests that cannot be served get status 503 and the cause") {
  ServiceRoute route_now = idle_route({});
  Proxy::Limits limits;
  std::string text;
  SUBCASE("after the time limit") {
    limits.patience = 30ms;
    route_now.problem = "pod web-1 is waiting: no GPU is free";
    text = "default/web: no replica became ready within 0s: pod web-1 is waiting: no GPU is free\n";
  }
  SUBCASE("at once, if a pod crashes") {
    route_now.problem = "pod web-1 crashed with exit code 7";
    route_now.is_hopeless = true;
    text = "default/web: pod web-1 crashed with exit code 7\n";
  }
  SUBCASE("at once, if too many wait") {
    limits.most_waiting = 0;
    text = "default/web: 0 other connections already wait for a replica\n";
  }
  route(route_now);
  Proxy proxy(loop, folder, limits);
  const Fd one = client();
  ask(one);
  const std::string got = answer(one);
  CHECK(got.starts_with("HTTP/1.1 503 Service Unavailable\r\n"));
  CHECK(got.find("\r\nContent-Length: " + std::to_string(text.size()) + "\r\n") != std::string::npos);
  CHECK(got.ends_with("\r\n\r\n" + text + "END"));
  CHECK(turn_until([&] { return demand() == Demand(); }));
}

TEST_CASE_FIXTURE(
    IdleFixture,
    "idle: a port is idle some time after the end of its last response, until the next request") {
  const Fd pod = listen_on_loopback(0);
  route(idle_route({port_of(pod)}, 1s));
  Proxy proxy(loop, folder);
  const Fd one = client();
  say(one, "GET / HTTP/1.1\r\n\r\n");
  Fd there;
  REQUIRE(turn_until([&] { return (there = accepted(pod)) ? true : false; }));
  turn(1500ms);
  CHECK(!is_idle());  // the pod has not responded yet
  say(there, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  turn(1500ms);
  CHECK(!is_idle());  // the response continues
  say(there, "0\r\n\r\n");
  // although the connection is open, no request is in progress
  REQUIRE(turn_until([&] { return is_idle(); }));
  say(one, "GET / HTTP/1.1\r\n\r\n");
  CHECK(turn_until([&] { return demand() == Demand(); }));
}

TEST_CASE_FIXTURE(IdleFixture, "idle: a silent WebSocket is a request until it is closed") {
  const Fd pod = listen_on_loopback(0);
  route(idle_route({port_of(pod)}, 1s));
  Proxy proxy(loop, folder);
  Fd one = client(), there;
  say(one, "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n");
  REQUIRE(turn_until([&] { return (there = accepted(pod)) ? true : false; }));
  say(there, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n");
  turn(1500ms);
  CHECK(!is_idle());
  one = Fd();
  there = Fd();
  CHECK(turn_until([&] { return is_idle(); }));
}

TEST_CASE_FIXTURE(ActivatorFixture,
                  "idle: the Deployment is scaled to zero, and later gets its replicas back") {
  report({.wanted = {}, .idle = {port}});
  REQUIRE(turn_until([&] { return replicas() == 0; }));
  CHECK(api::is_scaled_to_zero(deployment()));
  CHECK(api::replicas_when_used(deployment()) == 2);
  CHECK(api::scaled_to_zero_text(deployment()) == "scaled to zero after 10m without a request");
  report({.wanted = {port}, .idle = {}});
  REQUIRE(turn_until([&] { return replicas() == 2; }));
  CHECK(!api::is_scaled_to_zero(deployment()));
}

TEST_CASE_FIXTURE(ActivatorFixture,
                  "idle: nothing changes while an update runs, or if a user has stopped the program") {
  const auto change = [&](const char* part, const char* field, int value) {
    store.modify(local::kinds::deployment, "default", "web", [&](Json& next) { next[part][field] = value; });
  };
  SUBCASE("an update") {
    change("status", "updatedReplicas", 1);
    report({.wanted = {}, .idle = {port}});
    turn(50ms);
    CHECK(replicas() == 2);
    change("status", "updatedReplicas", 2);
    CHECK(turn_until([&] { return replicas() == 0; }));
  }
  SUBCASE("stopped") {
    change("spec", "replicas", 0);
    report({.wanted = {port}, .idle = {}});
    turn(50ms);
    CHECK(replicas() == 0);
  }
  SUBCASE("another port") {
    report({.wanted = {}, .idle = {port + 1}});
    turn(50ms);
    CHECK(replicas() == 2);
  }
}

}  // namespace idle_test
