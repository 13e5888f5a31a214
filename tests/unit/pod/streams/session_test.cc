#include "pod/streams/session.h"

#include <doctest/doctest.h>

namespace session_test {

using namespace kml::pod;

namespace {

/// Types the pieces. Returns what the other end receives, with "|end" when the session ends.
std::string typed(std::initializer_list<std::string_view> pieces) {
  EscapeFilter filter;
  std::string got;
  for (const std::string_view piece : pieces) {
    const EscapeFilter::Result result = filter.take(piece);
    got += result.text;
    if (result.ends) return got + "|end";
  }
  return got;
}

}  // namespace

TEST_CASE("session: ~. at the start of a line closes the session, however the keys arrive") {
  CHECK(typed({"~."}) == "|end");
  CHECK(typed({"ls\r~.x"}) == "ls\r|end");
  CHECK(typed({"ls\n", "~", "."}) == "ls\n|end");
  CHECK(typed({"~~."}) == "~.");
  CHECK(typed({"a~."}) == "a~.");
  CHECK(typed({"~/bin\r"}) == "~/bin\r");
  CHECK(typed({"~", "\r~."}) == "~\r|end");
}

}  // namespace session_test
