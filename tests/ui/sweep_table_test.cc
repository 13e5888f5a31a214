#include "kml/ui/sweep_table.h"

#include <doctest/doctest.h>

using namespace kml::ui;

TEST_CASE("sweep table: of a cause its first line is told, without what announces the others") {
  CHECK(in_a_line("exit code 1") == "exit code 1");
  CHECK(in_a_line("cannot open: the disk is full\nmore") == "cannot open: the disk is full");
  CHECK(in_a_line("it ended without score; it reported acc; its last lines:\nacc=1\nbye") ==
        "it ended without score; it reported acc");
  CHECK(in_a_line("its last lines:\nbye") == "its last lines");
  CHECK(in_a_line("exit code 1: Traceback:") == "exit code 1: Traceback:");
  CHECK(in_a_line("") == "");
}
