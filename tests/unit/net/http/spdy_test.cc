#include "kml/net/http/spdy.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kml/base/error.h"

namespace spdy_test {

using namespace kml;
using namespace kml::http;

namespace {

struct Seen {
  http::spdy::Kind kind;
  uint32_t stream;
  bool is_last;
  std::string payload;
  http::spdy::HeaderList headers;
  bool operator==(const Seen&) const = default;
};

/// The frames that a reader returns if the bytes arrive in pieces of that size.
std::vector<Seen> read_in_pieces(const std::string& bytes, size_t piece) {
  http::spdy::Reader reader;
  std::vector<Seen> seen;
  for (size_t at = 0; at < bytes.size(); at += piece)
    reader.feed(std::string_view(bytes).substr(at, piece), [&](const http::spdy::Frame& frame) {
      seen.push_back({frame.kind, frame.stream, frame.is_last, std::string(frame.payload), frame.headers});
    });
  return seen;
}

const http::spdy::HeaderList kHeaders = {{"streamtype", "data"}, {"port", "8080"}, {"requestid", "1"}};

}  // namespace

TEST_CASE("spdy: written frames are read back, however their bytes are split") {
  http::spdy::Writer writer;
  std::string bytes = writer.syn_stream(
      1, kHeaders);  // the frames are written one after the other, because headers depend on earlier ones
  bytes += writer.syn_reply(1);
  bytes += http::spdy::Writer::data(1, "hello");
  bytes += http::spdy::Writer::ping(7);
  bytes += writer.syn_stream(3, kHeaders);
  bytes += http::spdy::Writer::data(1, "", true);
  bytes += http::spdy::Writer::rst_stream(3, 5);
  const std::vector<Seen> expected = {
      {http::spdy::Kind::syn_stream, 1, false, "", kHeaders}, {http::spdy::Kind::syn_reply, 1, false, "", {}},
      {http::spdy::Kind::data, 1, false, "hello", {}},        {http::spdy::Kind::ping, 7, false, "", {}},
      {http::spdy::Kind::syn_stream, 3, false, "", kHeaders}, {http::spdy::Kind::data, 1, true, "", {}},
      {http::spdy::Kind::rst_stream, 3, false, "", {}}};
  for (size_t piece = 1; piece <= bytes.size(); ++piece) CHECK(read_in_pieces(bytes, piece) == expected);
}

TEST_CASE("spdy: a violation of the protocol is an error") {
  std::string bytes;
  SUBCASE("a frame that is too short for its kind") {
    bytes = std::string("\x80\x03\x00\x01\x00\x00\x00\x02hi", 10);
  }
  SUBCASE("headers that are not compressed") {
    bytes = std::string("\x80\x03\x00\x02\x00\x00\x00\x08\x00\x00\x00\x01name", 16);
  }
  SUBCASE("a frame of 16 MiB") {
    bytes = std::string("\x00\x00\x00\x01\x00\xff\xff\xff", 8);
  }
  CHECK_THROWS_AS(read_in_pieces(bytes, 8), Error);
}

}  // namespace spdy_test
