#include "kml/ui/screen.h"

#include <doctest/doctest.h>

#include <sstream>

#include "kml/ui/table.h"

namespace screen_test {

using namespace kml;
using namespace kml::ui;

TEST_CASE("screen: only lines that differ are written again") {
  std::ostringstream out;
  Streams streams{out, out};
  Screen screen(streams);
  const auto drawn = [&](std::vector<std::string> lines) {
    out.str("");
    screen.draw(std::move(lines));
    return out.str();
  };
  drawn({"one", "two", "three"});
  CHECK(drawn({"one", "two", "three"}).empty());
  CHECK(drawn({"one", "2", "three"}) == "\x1B[2;1H2\x1B[K\x1B[4;1H");
  CHECK(drawn({"one"}) == "\x1B[2;1H\x1B[J\x1B[2;1H");
}

TEST_CASE("screen: no line is wider than the terminal, whatever it contains") {
  for (const int width : {1, 40, 80, 100}) {
    CAPTURE(width);
    std::ostringstream out;
    Streams streams{out, out};
    streams.width = width;
    Screen screen(streams);
    std::string wide;
    for (int i = 0; i < 100; ++i) wide += "学é";
    screen.draw({std::string(200, 'x'), "\x1B[31m" + std::string(200, 'y') + "\x1B[0m", wide, "short"});
    const std::string text = out.str();
    const auto line = [&](int row) {
      const std::string begin = "\x1B[" + std::to_string(row) + ";1H";
      const size_t from = text.find(begin) + begin.size();
      return text.substr(from, text.find("\x1B[K", from) - from);
    };
    const auto columns = static_cast<size_t>(width);
    CHECK(line(1) == std::string(columns - 1, 'x') + "…");
    CHECK(line(2) == "\x1B[31m" + std::string(columns - 1, 'y') + "…\x1B[0m");
    CHECK(display_width(line(3)) <= columns);
    CHECK(display_width(line(3)) + 2 > columns);
    CHECK(line(4) == (width > 1 ? "short" : "…"));
  }
}

TEST_CASE(
    "screen: lines are drawn down to the row before the last, without newlines, so that nothing scrolls") {
  std::ostringstream out;
  Streams streams{out, out};
  Screen screen(streams);
  screen.draw(std::vector<std::string>(1000, "line"));
  CHECK(out.str().find("\x1B[" + std::to_string(screen.rows() - 1) + ";1Hline") != std::string::npos);
  CHECK(out.str().find('\n') == std::string::npos);
}

}  // namespace screen_test
