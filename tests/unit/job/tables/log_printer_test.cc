#include "job/tables/log_printer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <sstream>

#include "kml/base/json.h"

namespace log_printer_test {

using namespace kml;
using namespace kml::ui;

namespace {

struct Fixture {
  job::LogSource first{.job = "bert", .pod = "bert-0", .label = "0", .is_main = true};
  job::LogSource second{.job = "bert", .pod = "bert-1", .label = "1", .is_main = true};
  LogPrinter::Options options{.with_source = true};
  bool is_terminal = false;

  static job::LogLine line(const job::LogSource& source, std::string_view text, bool begins = true,
                           bool ends = true) {
    return {&source, {}, "2026-01-01T00:00:10Z", text, begins, ends};
  }
  std::string printed(const std::vector<job::LogLine>& lines) const {
    std::ostringstream out, err;
    const Streams streams{out, err, is_terminal, is_terminal, is_terminal};
    LogPrinter(streams, options).print(lines);
    return out.str();
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "log_printer: a pod has the same color in every run, whatever else is printed") {
  is_terminal = true;
  const std::string alone = printed({line(second, "a")}),
                    both = printed({line(first, "b"), line(second, "a")});
  CHECK(alone.starts_with("\x1b["));
  CHECK(both.ends_with("\n" + alone));
  CHECK(both.substr(0, both.find('m')) != alone.substr(0, alone.find('m')));
}

TEST_CASE_FIXTURE(Fixture, "log_printer: an interrupted line continues with its prefix") {
  CHECK(printed({line(first, "long", true, false), line(second, "short"), line(first, "est", false, true)}) ==
        "0 | long\n1 | short\n0 | est\n");
  CHECK(printed({line(first, "long", true, false), line(first, "est", false, true)}) == "0 | longest\n");
}

TEST_CASE_FIXTURE(Fixture, "log_printer: messages from kml-step to kml are not printed") {
  CHECK(printed({line(first, "loss=1"), line(first, "::kml-step:0123456789abcdef 1/1 00000000 AAAA"),
                 line(first, "end")}) == "0 | loss=1\n0 | end\n");
}

TEST_CASE_FIXTURE(Fixture, "log_printer: bytes are written to a pipe unchanged, and to JSON as text") {
  const std::string bytes("\0\xff\x1b]0;t\a\r", 9);
  CHECK(printed({line(first, bytes)}) == "0 | " + bytes + "\n");
  options.format = LogPrinter::Format::json;
  const auto object = Json::parse(printed({line(first, bytes)}));
  CHECK(object["text"] == std::string("\0\xef\xbf\xbd\x1b]0;t\a\r", 11));
}

namespace {

/// A terminal with 24 rows and 40 columns. text() returns its text without colors.
struct LiveFixture : Fixture {
  std::ostringstream out, err;
  Streams streams{out, err, true, true, false, 40};
  std::unique_ptr<LogPrinter> printer;

  LiveFixture() {
    options.live = true;
    printer = std::make_unique<LogPrinter>(streams, options);
  }
  void show(const job::LogSource& source, std::string_view text) {
    printer->show_unfinished(line(source, text, true, false));
  }
  /// The output since the last call.
  std::string written() {
    printer->flush();
    std::string text = out.str();
    out.str("");
    return text;
  }
};

}  // namespace

TEST_CASE_FIXTURE(LiveFixture,
                  "log_printer: unfinished lines stand below the scrolling ones, sorted by rank") {
  second.rank = 1, first.rank = 0;
  show(second, "\r10%");
  CHECK(written() == "1 | 10%");
  show(first, "\r20%");
  CHECK(written() == "\r0 | 20%\x1B[K\r\n1 | 10%\x1B[K");
  show(second, "\r10%\r11%");
  CHECK(written() == "\r\x1B[1A\r\n1 | 11%\x1B[K");
  printer->print(std::vector{line(first, "\r20%")});
  CHECK(written() == "\r\x1B[1A\x1B[J0 | 20%\n1 | 11%");
  printer->hide();
  CHECK(written().starts_with("\r\x1B[J"));
  printer->finish();
  CHECK(written().ends_with("1 | 11%\n"));
}

TEST_CASE_FIXTURE(LiveFixture,
                  "log_printer: a line that is redrawn after others have scrolled is removed first") {
  printer->print(std::vector{line(first, "outer"), line(second, "between")});
  CHECK(written() == "0 | outer\n1 | between\n");
  show(first, "inner\x1B[A\r50%");
  CHECK(written() == "\x1B[2A\x1B[J1 | between\n0 | 50%er\r\n0 | inner");
}

TEST_CASE_FIXTURE(LiveFixture, "log_printer: rows beyond the terminal's height are only counted") {
  std::deque<job::LogSource> pods;
  for (int i = 0; i < 1000; ++i) {
    pods.push_back(first);
    pods.back().rank = i;
    show(pods.back(), "\r1%");
  }
  const std::string text = written();
  CHECK(std::count(text.begin(), text.end(), '\n') < 24);
  CHECK(text.find(" more pods") != std::string::npos);
  CHECK(text.size() < 24 * 60);
}

TEST_CASE_FIXTURE(LiveFixture, "log_printer: names and unfinished lines cannot control the terminal") {
  first.label =
      "\x1B[2J\x1B]0;t\x07"
      "0";
  show(first,
       "\x1B[2J\x1B]0;t\x07\r\xC2\x9B"
       "2Jtext\x1B[?25l");
  CHECK(written() == "0 | text");
}

}  // namespace log_printer_test
