#include "kml/ui/terminal_plot.h"

#include <doctest/doctest.h>

#include "kml/ui/table.h"

using namespace kml::ui;

using Lines = std::vector<std::string>;

TEST_CASE("sparkline: a bar a value, from the least to the largest") {
  const std::vector<double> values = {0, 1, 2, 3, 4, 5, 6, 7};
  CHECK(sparkline(values, 30, true) == "▁▂▃▄▅▆▇█");
  CHECK(sparkline(values, 30, false) == "_.-=+o*#");
  CHECK(sparkline(values, 4, true) == "▁▃▆█");
  CHECK(sparkline(std::vector<double>{3, 3}, 4, false) == "++");
  CHECK(sparkline({}, 4, true).empty());
}

TEST_CASE("step plot: a line between its bounds") {
  const std::vector<double> values = {1, 1, 2, 3};
  CHECK(step_plot(values, 11, 3, false) == Lines{"3 |      **", "  |    ***", "1 |*****"});
  CHECK(step_plot(values, 7, 1, true).empty());
  CHECK(step_plot(std::vector<double>{1}, 20, 3, true).empty());
  for (const std::string& line : step_plot(values, 40, 5, true)) CHECK(display_width(line) <= 40);
}

TEST_CASE("step plot: braille has eight dots a character") {
  CHECK(step_plot(std::vector<double>{0, 1}, 11, 2, true) == Lines{"1 ┤    ⡏⠉⠉⠉", "0 ┤⣀⣀⣀⣀⡇"});
}

TEST_CASE("step plot: values over several powers of ten are drawn by their logarithm") {
  const std::vector<double> values = {1000, 1000, 1000, 1000, 10, 10, 0.1, 0.1};
  const Lines lines = step_plot(values, 14, 3, false);
  REQUIRE(lines.size() == 3);
  CHECK(lines[1] == "     |    ***");
}
