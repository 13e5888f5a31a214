#include "kml/ui/table.h"

#include <doctest/doctest.h>

#include <sstream>

namespace table_test {

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

TEST_CASE("table: a number has four digits, but a whole number below 10^15 has all of its digits") {
  const std::pair<double, const char*> kNumbers[] = {{123456789, "123456789"},
                                                     {-1000000, "-1000000"},
                                                     {12345.678, "1.235e+04"},
                                                     {0.97314, "0.9731"},
                                                     {9007199254740993.0, "9.007e+15"},
                                                     {5, "5"},
                                                     {1e300, "1e+300"}};
  for (const auto& [number, text] : kNumbers) CHECK(number_text(number) == text);
}

TEST_CASE("table: columns are as wide as their widest cell, and no line ends in spaces") {
  Table table({"JOB", "CAUSE"});
  table.add({{"bert-large"}, {""}});
  table.add({{"é"}, {"no GPU"}});
  CHECK(printed(table, false, 20) == "JOB         CAUSE\nbert-large\né           no GPU\n");
}

TEST_CASE("table: in a terminal, the last column is cut at the edge, and colors are used") {
  Table table({"J", "CAUSE"});
  table.add({{"x", Style::red}, {"a cause that is far too long"}});
  CHECK(printed(table, true, 15) == "\x1B[1mJ\x1B[0m  \x1B[1mCAUSE\x1B[0m\n\x1B[31mx\x1B[0m  a cause tha…\n");
  CHECK(printed(table, false, 15) == "J  CAUSE\nx  a cause that is far too long\n");
}

TEST_CASE("table: no line is wider than the terminal, and names are cut last") {
  const std::string longest(70, 'n');
  for (const size_t columns : {1, 2, 3, 5, 12})
    for (const int width : {40, 60, 80, 200})
      for (const std::string& name : {std::string("bert"), longest}) {
        CAPTURE(columns);
        CAPTURE(width);
        std::vector<std::string> header;
        std::vector<Cell> row, wide;
        for (size_t i = 0; i < columns; ++i) {
          header.push_back("COLUMN" + std::to_string(i));
          row.push_back({i == 0 ? name : "value", Style::red});
          wide.push_back({i == 0 ? name : "学習率" + longest});
        }
        Table table(header);
        table.add(row);
        table.add(wide);
        std::istringstream lines(printed(table, true, width));
        for (std::string line; std::getline(lines, line);)
          CHECK(cut_line(line, static_cast<size_t>(width)) == line);
        if (columns <= 5 && name == "bert")
          CHECK(printed(table, true, width).find("bert") != std::string::npos);
      }
  Table table({"JOB", "USER", "CAUSE"});
  table.add({{"bert-large-of-today"}, {"a-user-with-a-long-name"}, {"no GPU is free"}});
  CHECK(printed(table, false, 40) ==
        "JOB                  USER                     CAUSE\nbert-large-of-today  a-user-with-a-long-name  "
        "no GPU is free\n");
  CHECK(printed(table, true, 40).find("bert-large-of-today") != std::string::npos);
}

TEST_CASE("table: a text is wrapped between its parts") {
  using Lines = std::vector<std::string>;
  const std::string text = "lr1: 3 of 9 trials done; best accuracy 0.9; 3m";
  CHECK(wrapped(text, 0) == Lines{text});
  CHECK(wrapped(text, 80) == Lines{text});
  CHECK(wrapped(text, 44) == Lines{"lr1: 3 of 9 trials done; best accuracy 0.9;", "3m"});
  CHECK(wrapped(text, 10) == Lines{"lr1: 3 of 9 trials done;", "best accuracy 0.9;", "3m"});
  CHECK(wrapped("", 10).empty());
}

TEST_CASE("table: wide characters take two columns, combining marks none") {
  CHECK(display_width("学a\u0301🚀") == 5);
  CHECK(display_width("✅ done") == 7);
  CHECK(display_width("⏳") == 2);
  CHECK(display_width("▁▄█") == 3);
  CHECK(display_width("\xFF") == 1);
  CHECK(cut_to("学学学", 5) == "学学…");
  CHECK(cut_to("学学学", 4) == "学…");
}

TEST_CASE("table: the text of a cell can neither break the line nor control the terminal") {
  Table table({"A"});
  table.add({{"one\ntwo\x1B[2J"}});
  CHECK(printed(table, false, 80) == "A\none two\n");
}

}  // namespace table_test
