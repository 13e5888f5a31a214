#include "kml/sweep/tables/sweep_table.h"

#include <doctest/doctest.h>

#include <cmath>

#include "kml/base/text.h"

namespace history_plot_test {

using namespace kml;
using namespace kml::ui;

namespace {

std::string drawn(const std::vector<double>& values, const HistoryPlot& plot) {
  return join(history_plot(values, plot), "\n");
}

}  // namespace

TEST_CASE(
    "history plot: the best so far is a line, other values are dots, outliers and failures are left out") {
  CHECK(drawn({4, 5, NAN, 3, 4, 0, 1e9, 2}, {.height = 5, .utf8 = false}) ==
        "4 |=== .\n"
        "  |   ==\n"
        "  |       .\n"
        "  |\n"
        "0 |     ===\n"
        "  +1      8");
}

TEST_CASE("history plot: a maximized metric rises, and many trials share columns") {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(i);
  CHECK(drawn(values, {.width = 16, .height = 3, .maximize = true, .utf8 = true}) ==
        "999 │        ━━━\n"
        "    │  ━━━━━━·\n"
        "  0 │━━·\n"
        "    └1      1000");
}

TEST_CASE("history plot: one value is one line; without values, nothing is drawn") {
  CHECK(drawn({2}, {.height = 2, .utf8 = false}) == "2 |=\n  |\n  +1");
  CHECK(drawn({2, 1}, {.height = 2, .utf8 = false}) == "2 |=\n1 | =\n  +1 2");
  CHECK(history_plot({}).empty());
  CHECK(history_plot(std::vector<double>{NAN, INFINITY}).empty());
}

}  // namespace history_plot_test
