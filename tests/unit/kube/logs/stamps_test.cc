#include "kube/logs/stamps.h"

#include <doctest/doctest.h>

namespace stamps_test {

using namespace kml;

namespace {

/// The time that a Stamps object finds at the start of `line` after it has read `before`.
std::string found(const std::string& before, const std::string& line) {
  kube::Stamps stamps;
  Time time{};
  stamps.read(before, time);
  time = {};
  const size_t length = stamps.read(line, time);
  return length == 0 ? "" : line.substr(0, length) + "=" + rfc3339_nano(time);
}

}  // namespace

TEST_CASE("stamps: the fast parser and the complete one agree") {
  const std::string z = "2026-01-01T00:00:10.123456789Z text",
                    offset = "2026-01-01T01:00:10.123456789+01:00 text";
  for (const std::string& before :
       {std::string(), z, offset, std::string("2026-01-01T00:00:11.000000000Z x")}) {
    CHECK(found(before, z) == "2026-01-01T00:00:10.123456789Z=2026-01-01T00:00:10.123456789Z");
    CHECK(found(before, offset) == "2026-01-01T01:00:10.123456789+01:00=2026-01-01T00:00:10.123456789Z");
    CHECK(found(before, "2026-01-01T00:00:10Z x") == "2026-01-01T00:00:10Z=2026-01-01T00:00:10.000000000Z");
    CHECK(found(before, "2026-01-01T00:00:10.5Z x") ==
          "2026-01-01T00:00:10.5Z=2026-01-01T00:00:10.500000000Z");
    for (const char* none :
         {"", "x", "no stamp here at all, but a long line", "2026-01-01T00:00:10.12345678xZ text",
          "2026-01-01T00:00:10.123456789", "2026-13-01T00:00:10.123456789Z text"})
      CHECK(found(before, none).empty());
  }
}

TEST_CASE("stamps: a line that is only a timestamp is an empty line") {
  CHECK(found("", "2026-01-01T00:00:10.123456789Z") ==
        "2026-01-01T00:00:10.123456789Z=2026-01-01T00:00:10.123456789Z");
}

}  // namespace stamps_test
