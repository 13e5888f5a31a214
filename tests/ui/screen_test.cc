#include "kml/ui/screen.h"

#include <doctest/doctest.h>

#include <sstream>

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

TEST_CASE("screen: what does not fit is left out, so that nothing scrolls") {
  std::ostringstream out;
  Streams streams{out, out};
  Screen screen(streams);
  screen.draw(std::vector<std::string>(1000, "line"));
  CHECK(out.str().find("\x1B[" + std::to_string(screen.rows() - 1) + ";1Hline") != std::string::npos);
  CHECK(out.str().find('\n') == std::string::npos);
}
