#include "kml/ui/table.h"

#include <doctest/doctest.h>

#include <sstream>

using namespace kml;
using namespace kml::ui;

namespace {

std::string printed(const Table& table, bool terminal, int width) {
  std::ostringstream out, err;
  Streams streams{out, err};
  streams.out_is_terminal = streams.colours = terminal;
  streams.width = width;
  table.print(streams);
  return out.str();
}

}  // namespace

TEST_CASE("table: columns are as wide as their widest cell, and no line ends in spaces") {
  Table table({"JOB", "CAUSE"});
  table.add({{"bert-large"}, {""}});
  table.add({{"é"}, {"no GPU"}});
  CHECK(printed(table, false, 20) == "JOB         CAUSE\nbert-large\né           no GPU\n");
}

TEST_CASE("table: a terminal cuts the last column at its edge, and shows colours") {
  Table table({"J", "CAUSE"});
  table.add({{"x", Style::red}, {"a cause that is far too long"}});
  CHECK(printed(table, true, 15) == "\x1B[1mJ\x1B[0m  \x1B[1mCAUSE\x1B[0m\n\x1B[31mx\x1B[0m  a cause tha…\n");
  CHECK(printed(table, false, 15) == "J  CAUSE\nx  a cause that is far too long\n");
}

TEST_CASE("table: a cell cannot break its line or steer the terminal") {
  Table table({"A"});
  table.add({{"one\ntwo\x1B[2J"}});
  CHECK(printed(table, false, 80) == "A\none two\n");
}
