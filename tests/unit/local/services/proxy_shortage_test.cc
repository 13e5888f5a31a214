#include <dirent.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>

#include "local/services/proxy.h"
#include "local/services/proxy_fixture.h"

namespace proxy_shortage_test {

using namespace kml;
using namespace kml::local;
using namespace std::chrono_literals;

namespace {

/// While this object exists, the process cannot open another file descriptor.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = first_free();
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;

 private:
  /// Fills the gaps below the highest descriptor.
  rlim_t first_free() {
    int highest = 0;
    DIR* open = ::opendir("/proc/self/fd");
    while (const dirent* entry = ::readdir(open)) highest = std::max(highest, std::atoi(entry->d_name));
    ::closedir(open);
    for (int fd = 0; (fd = ::dup(0)) <= highest;) fillers_.emplace_back(fd);
    return static_cast<rlim_t>(highest) + 1;
  }

  rlimit before_{};
  std::vector<Fd> fillers_;
};

struct Fixture : ProxyFixture {
  Fd server = listen_on_loopback(0);
  std::vector<Fd> arrived;

  bool arrives(size_t count) {
    return turn_until([&] {
      if (Fd one = accepted(server)) arrived.push_back(std::move(one));
      return arrived.size() == count;
    });
  }
};

}  // namespace

TEST_CASE_FIXTURE(
    Fixture, "proxy: a client that waits for a file descriptor uses no processor time, and is served later") {
  Proxy proxy(loop, folder);
  route_to({port_of(server)});
  Fd busy;
  REQUIRE(turn_until([&] { return static_cast<bool>(busy = client()); }));
  REQUIRE(arrives(1));
  Fd next(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  {
    const NoDescriptors none;
    REQUIRE(::connect(next.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    int turns = 0;
    loop.at_turn_end([&] { ++turns; });
    turn(1000ms);
    CHECK(turns < 200);
    loop.at_turn_end([] {});
    // Other connections continue.
    REQUIRE(::send(busy.get(), "a", 1, 0) == 1);
    CHECK(turn_until([&] { return read(arrived[0]) == "a"; }));
  }
  CHECK(arrives(2));
}

TEST_CASE_FIXTURE(
    Fixture, "proxy: if no file descriptor is free, the connection idle for the longest time is closed") {
  Proxy proxy(loop, folder, {.spare = 0ms});
  route_to({port_of(server)});
  Fd first;
  REQUIRE(turn_until([&] { return static_cast<bool>(first = client()); }));
  REQUIRE(arrives(1));
  Fd second = client();
  REQUIRE(arrives(2));
  REQUIRE(::send(first.get(), "a", 1, 0) == 1);
  REQUIRE(turn_until([&] { return read(arrived[0]) == "a"; }));
  Fd third(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const NoDescriptors none;
  REQUIRE(::connect(third.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  CHECK(turn_until([&] { return read(second) == "END"; }));
  CHECK(read(first).empty());
}

TEST_CASE_FIXTURE(Fixture, "proxy: a connection that carries nothing is closed after the timeout") {
  Proxy proxy(loop, folder, {.idle = 50ms});
  route_to({port_of(server)});
  Fd idle;
  REQUIRE(turn_until([&] { return static_cast<bool>(idle = client()); }));
  CHECK(turn_until([&] { return read(idle) == "END"; }));
}

TEST_CASE_FIXTURE(Fixture, "proxy: a client that waits for a pod and sends no request is disconnected") {
  Proxy proxy(loop, folder, {.to_ask = 50ms});
  route({.service = "default/web", .port = port, .targets = {}, .idle = std::chrono::seconds(60)});
  Fd silent;
  REQUIRE(turn_until([&] { return static_cast<bool>(silent = client()); }));
  std::string answer;
  CHECK(turn_until([&] {
    answer += read(silent);
    return answer.find("the client sent no request") != std::string::npos;
  }));
}

}  // namespace proxy_shortage_test
