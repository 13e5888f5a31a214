#include <doctest/doctest.h>

#include "kml/base/redrawn_line.h"
#include "kml/job/logs/log_lines.h"

namespace carriage_returns_test {

TEST_CASE("carriage_returns: leave the last state of a progress bar, as on a screen") {
  using kml::after_carriage_returns;
  CHECK(after_carriage_returns("epoch 1") == "epoch 1");
  CHECK(after_carriage_returns("  1%|# |\r 50%|##|\r100%|###|") == "100%|###|");
  CHECK(after_carriage_returns("1%\r2%\r") == "2%");
  CHECK(after_carriage_returns("written on Windows\r\r") == "written on Windows");
  CHECK(after_carriage_returns("\r\r").empty());
  CHECK(after_carriage_returns("").empty());
}

}  // namespace carriage_returns_test
