#include "kml/ui/log_printer.h"

#include <doctest/doctest.h>

#include <sstream>

#include "kml/core/json.h"

namespace log_printer_test {

using namespace kml;
using namespace kml::ui;

namespace {

struct Fixture {
  jobs::LogSource first{.job = "bert", .pod = "bert-0", .label = "0", .is_main = true};
  jobs::LogSource second{.job = "bert", .pod = "bert-1", .label = "1", .is_main = true};
  LogPrinter::Options options{.with_source = true};
  bool is_terminal = false;

  static jobs::LogLine line(const jobs::LogSource& source, std::string_view text, bool begins = true,
                            bool ends = true) {
    return {&source, {}, "2026-01-01T00:00:10Z", text, begins, ends};
  }
  std::string printed(const std::vector<jobs::LogLine>& lines) const {
    std::ostringstream out, err;
    const Streams streams{out, err, is_terminal, is_terminal, is_terminal};
    LogPrinter(streams, options).print(lines);
    return out.str();
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "log_printer: a pod has the same colour in every run, whatever comes beside it") {
  is_terminal = true;
  const std::string alone = printed({line(second, "a")}),
                    both = printed({line(first, "b"), line(second, "a")});
  CHECK(alone.starts_with("\x1b["));
  CHECK(both.ends_with("\n" + alone));
  CHECK(both.substr(0, both.find('m')) != alone.substr(0, alone.find('m')));
}

TEST_CASE_FIXTURE(Fixture,
                  "log_printer: a line that another pod's interrupts goes on with its prefix again") {
  CHECK(printed({line(first, "long", true, false), line(second, "short"), line(first, "est", false, true)}) ==
        "0 | long\n1 | short\n0 | est\n");
  CHECK(printed({line(first, "long", true, false), line(first, "est", false, true)}) == "0 | longest\n");
}

TEST_CASE_FIXTURE(Fixture, "log_printer: bytes go into a pipe as they are, and into JSON as text") {
  const std::string bytes("\0\xff\x1b]0;t\a\r", 9);
  CHECK(printed({line(first, bytes)}) == "0 | " + bytes + "\n");
  options.format = LogPrinter::Format::json;
  const auto object = Json::parse(printed({line(first, bytes)}));
  CHECK(object["text"] == std::string("\0\xef\xbf\xbd\x1b]0;t\a\r", 11));
}

}  // namespace log_printer_test
