#include "kml/base/clean.h"

#include <doctest/doctest.h>

namespace colours_test {

using namespace kml;

TEST_CASE("colors: only a terminal's control sequences are removed") {
  CHECK(without_colours("\x1b[32mloss=1\x1b[0m") == "loss=1");
  CHECK(without_colours("a\x1b[?25l\x1b[2K\x1b[1;38:5:9mb") == "ab");
  CHECK(without_colours("[32m plain é \x1b") == "[32m plain é \x1b");
  CHECK(without_colours("cut\x1b[3") == "cut");
  CHECK(without_colours("\x1b[1\nnext") == "\nnext");
}

}  // namespace colours_test
