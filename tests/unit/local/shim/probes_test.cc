#include <doctest/doctest.h>

#include "local/shim_fixture.h"

namespace probes_test {

using namespace kml;
using namespace kml::local;

namespace {

constexpr const char* kServer =
    "import http.server, os, sys\n"
    "class Handler(http.server.BaseHTTPRequestHandler):\n"
    "  def do_GET(self):\n"
    "    self.send_response(200 if os.path.exists(sys.argv[2] + self.path) else 503)\n"
    "    self.end_headers()\n"
    "server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)\n"
    "open(sys.argv[1] + '.new', 'w').write(str(server.server_port))\n"
    "os.rename(sys.argv[1] + '.new', sys.argv[1])\n"
    "server.serve_forever()\n";

Json container_of(const ShimFixture& pod) {
  const Json status = pod.status();
  return status.contains("containerStatuses") ? status["containerStatuses"][0] : Json::object();
}

bool is_ready(const ShimFixture& pod) {
  return bool_at(container_of(pod), {"ready"});
}

}  // namespace

TEST_CASE_FIXTURE(ShimFixture, "probes: with a command, the container is ready while the command succeeds") {
  const std::string file = (temporary.path() / "ready").string();
  ContainerPlan& container = add_shell("sleep 0.1; touch " + file + "; exec sleep 1000");
  container.readiness = {.action = "exec", .argv = {"test", "-e", file}, .period = 1, .failures = 1};
  start();
  eventually([&] { return is_ready(*this); });
  std::filesystem::remove(file);
  eventually([&] { return !is_ready(*this); });
  CHECK(string_at(container_of(*this), {kUnhealthy}) ==
        "Readiness probe failed: command terminated with exit code 1");
  CHECK(container_of(*this)["restartCount"] == 0);
  stop("1");
  eventually([&] { return ended(); });
}

TEST_CASE_FIXTURE(ShimFixture,
                  "probes: HTTP and TCP are probed, and a failed liveness probe restarts the container") {
  // The server is a process of this test, so that the pod's port is known before the pod starts.
  const std::string port_file = (temporary.path() / "port").string(),
                    files = (temporary.path() / "files").string();
  std::filesystem::create_directory(files);
  ShimFixture server;
  server.add({"python3", "-c", kServer, port_file, files});
  server.start();
  eventually([&] { return std::filesystem::exists(port_file); });
  const int port = std::stoi(read_file(port_file));

  plan.restart_policy = "Always";
  plan.restart_delay_seconds = 0.01;
  // After the container was killed, the server is live again, so that the next container is not killed before
  // it has set its trap.
  ContainerPlan& container =
      add_shell("trap 'touch " + files + "/live; exit 0' TERM; while :; do sleep 0.01; done");
  container.startup = {.action = "tcp", .port = port, .period = 1};
  container.readiness = {.action = "http", .port = port, .path = "/ready", .period = 1};
  container.liveness = {
      .action = "http", .port = port, .path = "/live", .period = 1, .failures = 1, .grace = 5};
  write_file_atomically(files + "/live", "");
  start();
  eventually([&] { return bool_at(container_of(*this), {"started"}); });
  CHECK_FALSE(is_ready(*this));
  write_file_atomically(files + "/ready", "");
  eventually([&] { return is_ready(*this); });
  std::filesystem::remove(files + "/live");
  eventually([&] { return int_at(container_of(*this), {"restartCount"}) > 0; });
  CHECK(string_at(container_of(*this), {"lastState", "terminated", "message"}) ==
        "liveness probe failed: HTTP probe failed with statuscode: 503");
  CHECK(container_of(*this)["lastState"]["terminated"]["exitCode"] == 0);
  for (ShimFixture* pod : {&server, static_cast<ShimFixture*>(this)}) {
    pod->stop("0");
    eventually([&] { return pod->ended(); });
  }
}

TEST_CASE_FIXTURE(ShimFixture, "probes: a preStop sleep delays SIGTERM, but not beyond the grace period") {
  const std::string file = (temporary.path() / "term").string();
  ContainerPlan& container =
      add_shell("trap 'touch " + file + "; exit 0' TERM; while :; do sleep 0.01; done");
  container.pre_stop = {.action = "sleep", .timeout = 1000};
  start();
  eventually([&] { return is_ready(*this); });
  SUBCASE("the sleep continues during the grace period") {
    stop("500");
    CHECK(phase() == "Running");
    stop("0");  // a request to stop with a shorter grace period replaces the earlier one
    eventually([&] { return ended(); });
    CHECK_FALSE(std::filesystem::exists(file));
  }
  SUBCASE("then the program gets SIGTERM") {
    stop("0.2");
    eventually([&] { return ended(); });
    CHECK(std::filesystem::exists(file));
  }
}

TEST_CASE_FIXTURE(
    ShimFixture,
    "probes: a preStop command runs before SIGTERM, and is killed at the end of the grace period") {
  const std::string files = temporary.path().string();
  ContainerPlan& container =
      add_shell("trap 'ls " + files + " > " + files + "/term; exit 0' TERM; while :; do sleep 0.01; done");
  container.pre_stop = {.action = "exec", .timeout = 1000};
  const auto stop_and_see = [&](const char* command, const char* grace) {
    container.pre_stop.argv = {"sh", "-c", command, files};
    start();
    eventually([&] { return is_ready(*this); });
    stop(grace);
    eventually([&] { return ended(); });
    return read_file(files + "/term");
  };
  SUBCASE("the hook succeeds") {
    CHECK(contains(stop_and_see("sleep 0.1; touch $0/hooked", "500"), "hooked"));
  }
  SUBCASE("the hook fails") {
    CHECK(!stop_and_see("exit 1", "500").empty());
  }
  SUBCASE("the hook cannot start") {
    container.pre_stop.argv = {"/no/such/program"};
    start();
    eventually([&] { return is_ready(*this); });
    stop("500");
    eventually([&] { return ended(); });
    CHECK(std::filesystem::exists(files + "/term"));
  }
  SUBCASE("the hook takes too long") {
    CHECK(!contains(stop_and_see("touch $0/begun; sleep 1000", "1"), "hooked"));
  }
}

}  // namespace probes_test
