#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "local/http/http_server.h"

namespace web_socket_test {

using namespace kml;
using namespace kml::local;

namespace {

/// A client in Python, whose frames are masked unless it says otherwise.
constexpr const char* kSocketClient = R"(
import os, socket, ssl, struct, sys
def open_socket(tls):
    s = socket.create_connection(("127.0.0.1", PORT), timeout=300)
    if tls:
        context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
        s = context.wrap_socket(s)
    s.sendall(b"GET /echo HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
              b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" + EARLY)
    f = s.makefile("rb")
    status = f.readline().decode().split()[1]
    head = []
    while (line := f.readline().decode().strip()): head.append(line)
    return s, f, status, head
def encode(opcode, payload, masked=True):
    size = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + struct.pack(">H", len(payload))
    size = bytes([size[0] | (0x80 if masked else 0)]) + size[1:]
    mask = os.urandom(4) if masked else b"\0\0\0\0"
    return bytes([0x80 | opcode]) + size + (mask if masked else b"") + bytes(b ^ mask[i % 4] for i, b in enumerate(payload))
def receive(f):
    head = f.read(2)
    if len(head) < 2: return "end"
    length = head[1]
    if length == 126: length = struct.unpack(">H", f.read(2))[0]
    return head[0] & 15, f.read(length)
)";

/// Sends back what it gets; on "end" it closes.
struct Echo : SocketSession {
  explicit Echo(int& open_sessions) : open(open_sessions) { ++open; }
  ~Echo() override { --open; }
  void on_open() override {}
  void on_message(std::string_view payload) override {
    socket->send(payload);
    if (payload == "end") socket->close();
  }
  void on_sent() override {}
  void on_closed() override {}
  int& open;
};

/// Returns what the client prints. At the end, there is no session.
std::string with_echo(bool tls, const std::string& script, const std::string& early = "") {
  EventLoop loop;
  Fd listener = listen_on_loopback(0);
  const std::string port = std::to_string(port_of(listener));
  const Identity identity = new_identity();
  int open = 0;
  std::string output;
  {
    HttpServer server(
        loop, std::move(listener), tls ? &identity : nullptr,
        [](const HttpRequest&) { return HttpResponse{}; },
        [&](const HttpRequest&) {
          HttpResponse response{.status = 101};
          response.session = std::make_unique<Echo>(open);
          response.protocol = "echo";
          return response;
        });
    const std::string program = "PORT = " + port + "\nEARLY = b\"" + early + "\"\n" + kSocketClient +
                                "\ns, f, status, head = open_socket(" + (tls ? "True" : "False") + ")\n" +
                                script;
    FILE* client = ::popen(("timeout 300 python3 - 2>&1 <<'END'\n" + program + "\nEND").c_str(), "r");
    loop.watch(::fileno(client), EPOLLIN, [&](uint32_t) {
      char buffer[4096];
      const ssize_t got = ::read(::fileno(client), buffer, sizeof buffer);
      if (got > 0) return void(output.append(buffer, static_cast<size_t>(got)));
      loop.forget(::fileno(client));
      loop.stop();
    });
    loop.run();
    ::pclose(client);
  }
  CHECK(open == 0);
  return output;
}

/// A session whose client resets the connection while it runs, so that sending fails.
struct Forsaken : SocketSession {
  Forsaken(EventLoop& event_loop, Fd& client_socket) : loop(event_loop), client(client_socket) {}
  void on_open() override {
    const linger reset{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    client = Fd();
    is_sending = true;
    for (int i = 0; i < 10; ++i) socket->send("who reads this?");
    is_sending = false;
  }
  void on_message(std::string_view) override {}
  void on_sent() override {}
  void on_closed() override {
    CHECK_FALSE(is_sending);
    loop.stop();
  }

  EventLoop& loop;
  Fd& client;
  bool is_sending = false;
};

}  // namespace

TEST_CASE("web_socket: a session that cannot send learns of the connection's end after its own call") {
  EventLoop loop;
  Fd listener = listen_on_loopback(0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port_of(listener));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  HttpServer server(
      loop, std::move(listener), nullptr, [](const HttpRequest&) { return HttpResponse{}; },
      [&](const HttpRequest&) {
        HttpResponse response{.status = 101};
        response.session = std::make_unique<Forsaken>(loop, client);
        response.protocol = "echo";
        return response;
      });
  REQUIRE(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const std::string request =
      "GET /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  REQUIRE(::send(client.get(), request.data(), request.size(), 0) == static_cast<ssize_t>(request.size()));
  loop.run();
  CHECK_FALSE(client);
}

TEST_CASE("web_socket: messages are sent in both directions, with TLS and without") {
  for (bool tls : {false, true}) {
    CHECK(with_echo(tls,
                    "assert 'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=' in head, head\n"
                    "for size in (0, 5, 200, 60000):\n"
                    "    s.sendall(encode(2, b'x' * size)); assert receive(f) == (2, b'x' * size)\n"
                    "s.sendall(encode(9, b'are you there')); print(status, receive(f))\n"
                    "s.sendall(encode(2, b'end')); print(receive(f), receive(f)); s.close()\n") ==
          "101 (10, b'are you there')\n(2, b'end') (8, b'\\x03\\xe8')\n");
  }
}

TEST_CASE("web_socket: data that a client sends before it has the answer are not lost") {
  for (bool tls : {false, true}) {
    CHECK(with_echo(tls, "print(receive(f)); s.sendall(encode(2, b'b')); print(receive(f))\n",
                    "\\x82\\x81\\0\\0\\0\\0a") == "(2, b'a')\n(2, b'b')\n");
  }
}

TEST_CASE("web_socket: a violation of the protocol closes the connection, with its status code") {
  CHECK(with_echo(true, "s.sendall(encode(2, b'text', False)); print(receive(f))\n") ==
        "(8, b'\\x03\\xea')\n");
}

TEST_CASE("web_socket: many messages sent before the first answer is read are all returned") {
  CHECK(with_echo(true,
                  "s.sendall(b''.join(encode(2, bytes([i]) * 30000) for i in range(100)))\n"
                  "print(all(receive(f) == (2, bytes([i]) * 30000) for i in range(100)))\n") == "True\n");
}

}  // namespace web_socket_test
