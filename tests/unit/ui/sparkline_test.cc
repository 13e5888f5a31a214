#include "kml/ui/sparkline.h"

#include <doctest/doctest.h>

#include <vector>

namespace sparkline_test {

using namespace kml::ui;

TEST_CASE("sparkline: a bar per value, from the smallest to the largest") {
  const std::vector<double> values = {0, 1, 2, 3, 4, 5, 6, 7};
  CHECK(sparkline(values, 30, true) == "▁▂▃▄▅▆▇█");
  CHECK(sparkline(values, 30, false) == "_.-=+o*#");
  CHECK(sparkline(values, 4, true) == "▁▃▆█");
  CHECK(sparkline(std::vector<double>{3, 3}, 4, false) == "++");
  CHECK(sparkline({}, 4, true).empty());
  CHECK(sparkline(values, 0, true).empty());
}

}  // namespace sparkline_test
