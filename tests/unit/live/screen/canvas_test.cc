#include "live/screen/canvas.h"

#include <doctest/doctest.h>

namespace canvas_test {

using namespace kml::live;

namespace {

std::string shown(const std::string& text, size_t columns = 12) {
  Canvas canvas(1, columns);
  canvas.put(0, 0, text);
  return canvas.text()[0];
}

}  // namespace

TEST_CASE("canvas: text is cleaned, and cut at the edge") {
  const std::pair<const char*, const char*> kCases[] = {
      {"plain", "plain"},
      {"much too long for it", "much too lo…"},
      {"\x1B]52;c;ZXZpbA==\x07 name", " name"},
      {"\x1B[2J\x1B[31mred\x1B[0m", "red"},
      {"a\tb\nc", "a b c"},
      {"\xC2\x9B"
       "31mx",
       "x"},
      {"日本語の名前", "日本語の名前"},
      {"日本語の名前!", "日本語の名…"},
      {"a\u202Egnp.exe", "agnp.exe"},
      {"e\u0301te\u0301", "e\u0301te\u0301"},
      {"\xFFx", "\uFFFDx"},
  };
  for (const auto& [text, expected] : kCases) {
    CAPTURE(text);
    CHECK(shown(text) == expected);
  }
}

TEST_CASE("canvas: text outside of the screen is left out") {
  Canvas canvas(2, 4);
  CHECK(canvas.put(5, 0, "x") == 0);
  CHECK(canvas.put(0, 9, "x") == 9);
  CHECK(canvas.put(1, 2, "日") == 4);
  CHECK(canvas.put(0, 3, "日") == 4);
  CHECK(canvas.text() == std::vector<std::string>{"   …", "  日"});
}

TEST_CASE("canvas: only what differs is written") {
  Canvas before(2, 20), after(2, 20);
  before.put(0, 0, "job  Running  59s");
  after.put(0, 0, "job  Running  60s");
  CHECK(difference(before, after, true) == "\x1B[1;15H60");
  CHECK(difference(after, after, true).empty());

  SUBCASE("nearby changes are one piece") {
    after.put(0, 0, "jab");
    CHECK(difference(before, after, true) == "\x1B[1;2Ha\x1B[1;15H60");
    after.put(0, 10, "x");
    CHECK(difference(before, after, true) == "\x1B[1;2Ha\x1B[1;11Hxg  60");
  }
  SUBCASE("a wide character is written as a whole") {
    before.put(1, 0, "日本");
    after.put(1, 0, "日木");
    after.put(0, 14, "59s");
    CHECK(difference(before, after, true) == "\x1B[2;3H木");
  }
  SUBCASE("styles") {
    Canvas plain(1, 4), styled(1, 4);
    styled.put(0, 0, "a\x1B[1;31mb\x1B[mc", "7");
    CHECK(difference(plain, styled, true) == "\x1B[1;1H\x1B[0;7ma\x1B[0;7;1;31mb\x1B[0;7mc\x1B[m");
    CHECK(difference(plain, styled, false) == "\x1B[1;1H\x1B[0;7ma\x1B[0;7;1mb\x1B[0;7mc\x1B[m");
  }
}

}  // namespace canvas_test
