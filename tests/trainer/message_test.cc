#include "comm/message.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <nlohmann/json.hpp>
#include <string>

using namespace trainer;

using namespace trainer;
using namespace std::chrono_literals;
#include "meeting_fixture.h"

TEST_CASE("message: a message may arrive in pieces of any size, and no byte after the message is read") {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  const Fd writer(ends[0]), reader(ends[1]);
  MessageReader messages;
  const std::string text = R"({"rank":3})", bytes = std::string("kmlt\x0a\0\0\0", 8) + text + "more";
  for (size_t i = 0; i < 8 + text.size(); ++i) {
    CHECK(messages.read(reader.get()) == MessageReader::State::waiting);
    REQUIRE(send(writer.get(), &bytes[i], 1, 0) == 1);
  }
  REQUIRE(send(writer.get(), "more", 4, 0) == 4);
  CHECK(messages.read(reader.get()) == MessageReader::State::whole);
  CHECK(messages.take().at("rank") == 3);
  char rest[8];
  CHECK(recv(reader.get(), rest, sizeof rest, 0) == 4);
}
