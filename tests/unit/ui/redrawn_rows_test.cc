#include "ui/redrawn_rows.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "kml/base/text.h"

namespace redrawn_rows_test {

using namespace kml;
using namespace kml::ui;

namespace {

struct Fixture {
  std::vector<std::string> finished;
  bool can_take_back = true;
  RedrawnRows rows{{.on_finished = [this](RedrawnRows::Finished line) { finished.push_back(line.text); },
                    .take_back =
                        [this](RedrawnRows::Finished& line) {
                          if (!can_take_back || finished.empty()) return false;
                          line.text = finished.back();
                          finished.pop_back();
                          return true;
                        }}};

  /// Writes lines. Text after the last newline is an incomplete line.
  void write(std::string_view text) {
    for (; text.find('\n') != std::string_view::npos; text.remove_prefix(text.find('\n') + 1)) {
      rows.add(text.substr(0, text.find('\n')));
      rows.new_line();
    }
    rows.add(text);
  }
  std::string shown() const {
    std::vector<std::string> texts;
    for (const RedrawnRows::Finished& row : rows.shown()) texts.push_back(row.text);
    return join(texts, "|");
  }
  std::string all() const { return join(finished, "|"); }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "redrawn_rows: text after a carriage return overwrites the line") {
  write("\r100% a");
  write("\r 99%");
  CHECK(shown() == " 99% a");
  write("\r\x1b[K1%");
  CHECK(shown() == "1%");
  write("\b\b2");
  CHECK(shown() == "2%");
  write("\ndone\n");
  CHECK(all() == "2%|done");
  CHECK(shown().empty());
  CHECK(rows.is_empty());
}

TEST_CASE_FIXTURE(Fixture, "redrawn_rows: each of several nested progress bars stays in its row") {
  write("\router 0%\n\rinner 1%\x1b[A");
  CHECK(shown() == "outer 0%|inner 1%");
  CHECK(finished.empty());
  write("\n\rinner 2%\x1b[A\router 9%");
  CHECK(shown() == "outer 9%|inner 2%");
  write("\n\n");
  write("text\nmore\n");
  CHECK(all() == "outer 9%|inner 2%|text|more");
  CHECK(rows.is_empty());
}

TEST_CASE_FIXTURE(Fixture,
                  "redrawn_rows: text that is written into an earlier row does not change the style of the "
                  "rest of the row") {
  write("plain\n\x1b[31mred\x1b[A!");
  CHECK(shown() == "pla\x1b[31m!\x1b[0mn|\x1b[31mred\x1b[0m");
}

TEST_CASE_FIXTURE(Fixture, "redrawn_rows: a row that has scrolled away is not drawn over another row") {
  can_take_back = false;
  write("outer 0%\ninner\x1b[A\router 5%");
  CHECK(all() == "outer 0%");
  CHECK(shown() == "outer 5%|inner");
}

TEST_CASE_FIXTURE(Fixture, "redrawn_rows: escape sequences may be split anywhere, and only colors stay") {
  const std::string text =
      "\x1b[31mr\xc3\xa9"
      "d\x1b[0m\x1b]0;title\x07\x1b[2J\x1b[?25l\r\x1b[2K\x1b[1Gx\x1b[32my\x1b[5n";
  for (char c : text) rows.add({&c, 1});
  const std::string slowly = shown();
  rows.finish();
  rows.add(text);
  CHECK(shown() == slowly);
  CHECK(slowly == "x\x1b[32my\x1b[0m");
}

TEST_CASE_FIXTURE(
    Fixture,
    "redrawn_rows: hostile cursor movements reach only their own rows, and the number of rows is bounded") {
  for (int i = 0; i < 50; ++i) write("line\n");
  write("\x1b[999999999999999999A\x1b[99999999C!\x1b[999999B\x1b[99999999D\x1b[1000Gx\x1b[1;1H");
  CHECK(rows.shown().size() <= RedrawnRows::kMostRows);
  CHECK(finished.size() + RedrawnRows::kMostRows >= 50);
  for (int i = 0; i < 3000; ++i) rows.add("\x1b[38;5;" + std::to_string(i) + "mx");
  for (int i = 0; i < 3000; ++i) rows.add("\x1b[A\xcc\x81");
  rows.add(std::string(1 << 20, 'y'));
  CHECK(rows.shown().size() <= RedrawnRows::kMostRows);
  rows.add("\x1b[" + std::string(1 << 20, '1'));
  rows.add("A");
  rows.finish();
  CHECK(rows.is_empty());
}

TEST_CASE("redrawn_rows: recognizes texts that move the cursor") {
  CHECK(moves_cursor("a\rb"));
  CHECK(moves_cursor("\x1b[31mred\x1b[A"));
  CHECK(moves_cursor("\x1b[2K"));
  CHECK(!moves_cursor("plain"));
  CHECK(!moves_cursor("\x1b[31mred\x1b[0m \x1b]0;t\x07 \x1b["));
}

}  // namespace redrawn_rows_test
