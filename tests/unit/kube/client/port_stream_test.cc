#include "kml/kube/client/port_stream.h"

#include <doctest/doctest.h>

#include "support/agreeing_transport.h"

namespace port_stream_test {

using namespace kml;
using http::websocket::Opcode;
using http::websocket::Role;

namespace {

constexpr const char* kPath = "/api/v1/namespaces/team/pods/bert-0/portforward";

std::string message(char channel, const std::string& content) {
  return frame(Role::server, Opcode::binary, std::string(1, channel) + content);
}
const std::string kPort = {'\x98', '\x1f'};  // 8088, the lower byte first
const std::string kClosed = frame(Role::server, Opcode::close, http::websocket::close_payload(1000));

struct Fixture {
  AgreeingTransport transport;
  kube::Client client{transport};
  std::string data, failure, why;
  bool is_over = false;

  Fixture() { transport.protocol = "v4.channel.k8s.io"; }
  void run(std::vector<std::string> pieces, const std::string& input = {}) {
    transport.stub("GET", kPath, {.status = 101, .pieces = std::move(pieces)});
    kube::PortStream stream(client, "team", "bert-0", 8088,
                            {.on_data = [&](std::string_view bytes) { data += bytes; },
                             .on_end =
                                 [&](const Error* error) {
                                   is_over = true;
                                   if (error) failure = error->message, why = error->why;
                                 }});
    if (!input.empty()) stream.send(input);
    for (int i = 0; i < 5 && !is_over; ++i) transport.wait(std::chrono::seconds(1));
    CHECK(is_over);
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "port stream: the port number that comes first is not part of the bytes") {
  run({message(0, kPort), message(1, kPort), message(0, "ab"), message(0, "c"), kClosed}, "request");
  CHECK(data == "abc");
  CHECK(failure.empty());
  CHECK(transport.requests[0].path == std::string(kPath) + "?ports=8088");
  std::string sent;
  http::websocket::Reader(Role::server).feed(transport.sent, [&](Opcode, std::string_view payload) {
    sent += payload;
    return true;
  });
  CHECK(sent == std::string(1, '\0') + "request");
}

TEST_CASE_FIXTURE(Fixture, "port stream: a refused connection is reported without the node's text") {
  const std::string failed = "error forwarding port 8088 to pod 0a1b: connect: connection refused\n";
  run({message(0, kPort), message(1, kPort), message(1, failed), kClosed});
  CHECK(failure == "cannot connect to port 8088 of pod \"bert-0\"");
  CHECK(why == "connection refused: no program listens on it");
}

TEST_CASE_FIXTURE(Fixture, "port stream: a server that speaks another protocol is rejected") {
  transport.protocol = "v5.channel.k8s.io";
  run({});
  CHECK(why == "the server does not support v4.channel.k8s.io");
}

}  // namespace port_stream_test
