#include "pod/streams/port_forward.h"

#include <doctest/doctest.h>

#include <string>

#include "kml/base/error.h"
#include "pod/streams/loopback.h"

namespace port_forward_test {

using namespace kml;
using namespace kml::pod;

TEST_CASE("port pair: has a remote port; the local port is the same, another, or any free one") {
  CHECK(parse_port_pair("8888").local == 8888);
  CHECK(parse_port_pair("8888").remote == 8888);
  CHECK(parse_port_pair("9000:8888").local == 9000);
  CHECK(parse_port_pair("9000:8888").remote == 8888);
  CHECK(parse_port_pair(":8888").local == 0);
  CHECK(parse_port_pair("0:8888").local == 0);
  for (const char* wrong : {"", ":", "x", "0", "1:", "1:0", "65536", "-1", "1:2:3", "99999999999"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_port_pair(wrong), Error);
  }
}

TEST_CASE("loopback: a port in use is reported; a free one is found") {
  const Listeners first = listen_on_loopback(0);
  CHECK(first.port > 0);
  CHECK_FALSE(first.sockets.empty());
  const std::string told = "cannot listen on port " + std::to_string(first.port) + " on this machine";
  CHECK_THROWS_WITH_AS(listen_on_loopback(first.port), told.c_str(), Error);
}

}  // namespace port_forward_test
