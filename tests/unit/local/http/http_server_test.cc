#include "local/http/http_server.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace http_server_test {

using namespace kml;
using namespace kml::local;

namespace {

/// The beginning of each client script.
constexpr const char* kClient = R"(
import socket, ssl, sys, time
context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
def connect(): return context.wrap_socket(socket.create_connection(("127.0.0.1", PORT), timeout=300))
def drip(s):
    s.settimeout(0.02)
    while True:
        try:
            s.sendall(b"x")
            if s.recv(1000) == b"": return
        except (TimeoutError, ssl.SSLWantReadError): pass
        except OSError: return
def get(s, path, wanted):
    s.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n")
    s.settimeout(300)
    got = b""
    while not wanted in got:
        more = s.recv(10000)
        if more == b"": return "cut off: " + str(got)
        got += more
    return "got it"
)";

/// A body that delivers one piece, and then neither more data nor its end.
struct Silence : BodySource {
  Next read(std::string& piece) override {
    if (piece.empty() && !said_) {
      piece = "hello";
      said_ = true;
      return Next::more;
    }
    return Next::wait;
  }
  bool said_ = false;
};

/// The limits of a server for two connections that allows each request three seconds.
constexpr HttpLimits kSmall{.connections = 2,
                            .first_request = std::chrono::seconds(3),
                            .next_request = std::chrono::seconds(3),
                            .strangers = 2};

/// The output of a Python client that runs the script against a server with these limits.
std::string with_client(
    const std::string& script,
    const std::function<void(EventLoop&, HttpServer&)>& prepare = [](auto&, auto&) {},
    const HttpLimits& limits = kSmall) {
  EventLoop loop;
  Fd listener = listen_on_loopback(0);
  const std::string port = std::to_string(port_of(listener));
  const Identity identity = new_identity();
  HttpServer server(
      loop, std::move(listener), &identity,
      [](const HttpRequest& request) {
        return HttpResponse{.status = request.path == "/secret" && request.authorization.empty() ? 401 : 200};
      },
      [](const HttpRequest& request) {
        HttpResponse response{.body = request.path};
        if (request.path == "/watch") response.stream = std::make_unique<Silence>();
        return response;
      },
      limits);
  prepare(loop, server);
  const std::string command = "timeout 300 python3 -c 'PORT = " + port + kClient + script + "' 2>&1";
  FILE* client = ::popen(command.c_str(), "r");
  std::string output;
  loop.watch(::fileno(client), EPOLLIN, [&](uint32_t) {
    char buffer[4096];
    const ssize_t got = ::read(::fileno(client), buffer, sizeof buffer);
    if (got > 0) return void(output.append(buffer, static_cast<size_t>(got)));
    loop.forget(::fileno(client));
    loop.stop();
  });
  loop.run();
  ::pclose(client);
  return output;
}

}  // namespace

TEST_CASE("http_server: the connections of two servers use at most three quarters of the open files") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  for (const rlim_t files :
       {rlim_t{3}, rlim_t{40}, rlim_t{128}, rlim_t{170}, rlim_t{1024}, before.rlim_cur}) {
    if (files > before.rlim_max) continue;
    CAPTURE(files);
    const rlimit limit{files, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    const unsigned connections = connections_by_open_files();
    CHECK(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(connections >= 1);
    CHECK(connections <= 4096);
    CHECK(connections * 2 <= std::max<rlim_t>(files / 4 * 3 + 3, 2));
  }
}

TEST_CASE("http_server: a client that sends its request byte by byte is disconnected") {
  std::string start;
  SUBCASE("no TLS") {
    start = "s = socket.create_connection((\"127.0.0.1\", PORT))";
  }
  SUBCASE("the request line") {
    start = "s = connect()";
  }
  SUBCASE("a header") {
    start = "s = connect(); s.sendall(b\"GET / HTTP/1.1\\r\\nHost: x\\r\\nX: \")";
  }
  SUBCASE("the body") {
    start =
        "s = connect(); s.sendall(b\"POST / HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 9999\\r\\n\\r\\n\")";
  }
  SUBCASE("a second request") {
    start = "s = connect(); get(s, b\"/first\", b\"/first\")";
  }
  CHECK(with_client(start + "\ndrip(s); print(\"closed\")") == "closed\n");
}

TEST_CASE("http_server: connections over the limit wait until idle ones are closed") {
  CHECK(with_client("idle = [socket.create_connection((\"127.0.0.1\", PORT)) for i in range(6)]\n"
                    "print(get(connect(), b\"/late\", b\"/late\"))") == "got it\n");
}

TEST_CASE("http_server: silent and unauthorized clients do not block other clients") {
  constexpr HttpLimits kPatient{.connections = 16,
                                .first_request = std::chrono::hours(1),
                                .next_request = std::chrono::hours(1),
                                .strangers = 4};
  std::string idle;
  SUBCASE("silent") {
    idle = "socket.create_connection((\"127.0.0.1\", PORT))";
  }
  SUBCASE("after a handshake") {
    idle = "connect()";
  }
  SUBCASE("after a rejection") {
    idle = "refused()";
  }
  CHECK(with_client(
            "\ndef refused():\n    s = connect(); get(s, b\"/secret\", b\" 401 \"); return s\n"
            "def known():\n    s = connect()\n"
            "    s.sendall(b\"GET /a HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: yes\\r\\n\\r\\n\")\n"
            "    s.recv(1000); return s\n"
            "friend = known()\n"
            "idle = [" +
                idle +
                " for i in range(60)]\n"
                "print(get(connect(), b\"/late\", b\"/late\"), get(friend, b\"/again\", b\"/again\"))",
            [](auto&, auto&) {}, kPatient) == "got it got it\n");
}

TEST_CASE("http_server: a stream may be silent for longer than a request may last") {
  CHECK(with_client("s = connect()\nget(s, b\"/watch\", b\"hello\\r\\n\")\ns.settimeout(4)\n"
                    "try: print(s.recv(100))\n"
                    "except TimeoutError: print(\"still open\")") == "still open\n");
}

TEST_CASE("http_server: %00 does not hide the rest of a path") {
  CHECK(with_client("print(get(connect(), b\"/a%00b%2Fc%zz\", b\"/a%00b/c%zz\"))") == "got it\n");
}

TEST_CASE("http server: an answer is sent only when the change that it reports is on the disk") {
  int asked = 0;
  bool may_send = false;
  const std::string output = with_client(
      R"(
a, b = connect(), connect()
a.sendall(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
a.settimeout(0.1)
try: print("too early", a.recv(100))
except (TimeoutError, ssl.SSLWantReadError): pass
print(get(b, b"/b", b"/b"), get(a, b"/c", b"/c"))
)",
      [&](EventLoop& loop, HttpServer& server) {
        server.hold_answers_unless([&] { return asked++, may_send; });
        loop.at_turn_end([&] {
          if (asked < 2) return;
          may_send = true;
          server.send_held();
        });
      });
  CHECK(output == "got it got it\n");
}

}  // namespace http_server_test
