#include "kml/net/http/websocket.h"

#include <doctest/doctest.h>

#include <vector>

namespace websocket_test {

using namespace kml;
using namespace kml::http::websocket;

namespace {

using Messages = std::vector<std::pair<Opcode, std::string>>;

/// The messages read from the bytes in pieces of that length.
Messages read(Role reader_role, std::string_view bytes, size_t piece) {
  Reader reader(reader_role);
  Messages found;
  for (size_t at = 0; at < bytes.size(); at += piece)
    reader.feed(bytes.substr(at, piece), [&](Opcode opcode, std::string_view payload) {
      found.emplace_back(opcode, payload);
      return true;
    });
  return found;
}

std::string fault(Role reader_role, std::string_view bytes) {
  try {
    read(reader_role, bytes, bytes.size());
  } catch (const Error& error) {
    return error.why;
  }
  return "none";
}

using namespace std::string_view_literals;

}  // namespace

TEST_CASE("websocket: the examples of RFC 6455, 5.7") {
  const Messages hello = {{Opcode::text, "Hello"}};
  CHECK(read(Role::client, "\x81\x05Hello"sv, 7) == hello);
  CHECK(read(Role::server, "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"sv, 3) == hello);
  CHECK(read(Role::client, "\x01\x03Hel\x80\x02lo"sv, 1) == hello);
  CHECK(read(Role::client, "\x89\x05Hello"sv, 7) == Messages{{Opcode::ping, "Hello"}});
  CHECK(accept_of("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST_CASE("websocket: written frames of any length are read at the other end, however they are split") {
  for (const auto& [sender, receiver] : {std::pair{Role::client, Role::server}, {Role::server, Role::client}})
    for (size_t length : {0, 1, 125, 126, 127, 65535, 65536, 100000}) {
      std::string payload;
      for (size_t i = 0; i < length; ++i) payload += static_cast<char>(i * 7);
      const std::string bytes = frame(sender, Opcode::binary, payload) + frame(sender, Opcode::binary, "end");
      for (size_t piece : {size_t{1}, size_t{3}, size_t{4096}, bytes.size()}) {
        if (piece == 1 && length > 1000) continue;
        const Messages found = read(receiver, bytes, piece);
        REQUIRE(found.size() == 2);
        CHECK(found[0].second == payload);
        CHECK(found[1].second == "end");
      }
    }
}

TEST_CASE("websocket: a ping between fragments is delivered before them") {
  CHECK(read(Role::client,
             "\x02\x01"
             "a"
             "\x89\x01"
             "p"
             "\x80\x01"
             "b"sv,
             2) == Messages{{Opcode::ping, "p"}, {Opcode::binary, "ab"}});
}

TEST_CASE("websocket: a violation of the protocol is an error") {
  CHECK(fault(Role::client,
              "\x81\x80"
              "1234"sv) == "it masked a frame");
  CHECK(fault(Role::server, "\x81\x00"sv) == "it did not mask a frame");
  CHECK(fault(Role::client, "\xc1\x00"sv) == "it sent a frame of an extension that was not negotiated");
  CHECK(fault(Role::client, "\x83\x00"sv) == "it sent a frame of an extension that was not negotiated");
  CHECK(fault(Role::client, "\x09\x00"sv) == "it sent a control frame that is too long or fragmented");
  CHECK(fault(Role::client, "\x89\x7e\x01\x00"sv) ==
        "it sent a control frame that is too long or fragmented");
  CHECK(fault(Role::client, "\x80\x00"sv) == "it sent the fragments of a message out of order");
  CHECK(fault(Role::client, "\x01\x00\x01\x00"sv) == "it sent the fragments of a message out of order");
  CHECK(fault(Role::client, "\x82\x7f\x00\x00\x00\x01\x00\x00\x00\x00"sv) ==
        "it sent a message of more than 4 MiB");
}

TEST_CASE("websocket: close frames carry a code") {
  CHECK(close_code(close_payload(1000)) == 1000);
  CHECK(close_code("") == 1005);
}

TEST_CASE("websocket: a stopped reader delivers nothing more") {
  Reader reader(Role::client);
  int count = 0;
  reader.feed(
      "\x81\x01"
      "a"
      "\x81\x01"
      "b"sv,
      [&](Opcode, std::string_view) { return ++count > 1; });
  CHECK(count == 1);
}

}  // namespace websocket_test
