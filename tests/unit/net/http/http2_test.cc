#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>

#include "kml/base/files.h"
#include "kml/base/process.h"
#include "kml/net/http/transport.h"
#include "support/temporary_folder.h"
#include "support/test_certificates.h"

namespace http2_test {

using namespace kml;
using namespace kml::http;

namespace {

/// Runs tests/support/watch_server; null if Go is not available to build it.
class WatchServer {
 public:
  static std::unique_ptr<WatchServer> start() {
    TemporaryFolder folder;
    const auto program = folder.path() / "watch_server";
    // With the flags of tests/cluster/lib/build.sh, so that Go's own packages need not be compiled again.
    if (run_process({"env", "CGO_ENABLED=0", "GOFLAGS=-trimpath -buildvcs=false -gcflags=all=-dwarf=false",
                     "go", "build", "-o", program, "main.go"},
                    {.folder = std::string(KML_SOURCE_DIR) + "/tests/support/watch_server"})
            .exit_code == 0)
      return std::make_unique<WatchServer>(program);
    MESSAGE("left out: it needs Go 1.24 or newer");
    return nullptr;
  }
  explicit WatchServer(const std::filesystem::path& program) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const Fd reader(ends[0]), writer(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, writer.get(), STDOUT_FILENO);
    const std::string pem = TestCertificates::get().pem_path("server"),
                      key = TestCertificates::get().key_path("server");
    const char* argv[] = {program.c_str(), pem.c_str(), key.c_str(), nullptr};
    REQUIRE(::posix_spawn(&process_, argv[0], &actions, nullptr, const_cast<char**>(argv), environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    char port[16] = {};
    REQUIRE(::read(reader.get(), port, sizeof port - 1) > 0);
    port_ = std::stoi(port);
  }
  ~WatchServer() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  std::unique_ptr<Transport> transport() const {
    Endpoint endpoint{.url = "https://127.0.0.1:" + std::to_string(port_)};
    endpoint.ca_pem = TestCertificates::get().pem("ca");
    return make_curl_transport(endpoint);
  }

 private:
  pid_t process_ = 0;
  int port_ = 0;
};

/// Peak memory of this process, in MiB.
long peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6)) >> 10;
  return 0;
}

}  // namespace

TEST_CASE("http2: many watches share connections, at most 100 each, and each gets every event") {
  const auto server = WatchServer::start();
  if (!server) return;
  const std::string wanted = environment("KML_TEST_WATCHES");
  const size_t count = wanted.empty() ? 250 : std::stoul(wanted);
  const auto transport = server->transport();

  std::vector<int> lines(count);
  std::vector<std::unique_ptr<Stream>> watches;
  size_t ended = 0;
  for (size_t i = 0; i < count; ++i)
    watches.push_back(
        transport->stream({.path = "/api/v1/namespaces/n" + std::to_string(i) + "/pods?watch=true",
                           .timeout = std::chrono::minutes(10)},
                          {.on_data =
                               [&lines, i](std::string_view data) {
                                 lines[i] += static_cast<int>(std::count(data.begin(), data.end(), '\n'));
                                 return true;
                               },
                           .on_end = [&](const Response&, const Error*) { ++ended; }}));
  auto wait_for = [&](int line) {
    const auto begin = transport->now(), deadline = begin + std::chrono::minutes(10);
    while (std::any_of(lines.begin(), lines.end(), [&](int have) { return have < line; })) {
      REQUIRE(transport->now() < deadline);
      transport->wait(std::chrono::seconds(1));
    }
    return std::chrono::duration<double>(transport->now() - begin).count();
  };
  const double opened = wait_for(1);
  CHECK(transport->send({.method = "POST", .path = "/event"}).status == 200);
  const double told = wait_for(2);
  CHECK(ended == 0);
  CHECK(lines == std::vector<int>(count, 2));

  size_t connections = 0, open = 0;
  std::istringstream(transport->send({.path = "/count"}).body) >> connections >> open;
  CHECK(open == count);
  CHECK(connections >= (count + 99) / 100);
  CHECK(connections <= count / 50 + 2);
  CHECK(peak_memory() < 1024);
  MESSAGE(count << " watches over " << connections << " connections: open after " << opened
                << " s, all told of an event after " << told << " s, " << peak_memory() << " MiB at most");
}

TEST_CASE(
    "http2: a stream with its own connection never shares the connection, even if the stream was opened "
    "first") {
  const auto server = WatchServer::start();
  if (!server) return;
  const auto transport = server->transport();
  std::vector<std::string> bodies(6);
  std::vector<std::unique_ptr<Stream>> streams;
  size_t ended = 0;
  for (size_t i = 0; i < bodies.size(); ++i)
    streams.push_back(transport->stream({.path = "/watch", .own_connection = i < 2},
                                        {.on_data =
                                             [&bodies, i](std::string_view data) {
                                               bodies[i] += data;
                                               return true;
                                             },
                                         .on_end = [&](const Response&, const Error*) { ++ended; }}));
  const auto deadline = transport->now() + std::chrono::minutes(1);
  while (ended == 0 && std::any_of(bodies.begin(), bodies.end(), std::mem_fn(&std::string::empty))) {
    REQUIRE(transport->now() < deadline);
    transport->wait(std::chrono::seconds(1));
  }
  CHECK(ended == 0);
  // If a server has just answered in HTTP/1.1, libcurl assumes that the server does not support HTTP/2, so
  // some requests do not share a connection although they could.
  int connections = 0, requests = 0;
  std::istringstream(transport->send({.path = "/count"}).body) >> connections >> requests;
  CHECK(connections >= 3);
  CHECK(requests == 6);
}

}  // namespace http2_test
