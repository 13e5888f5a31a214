#include "job/logs/result_lines.h"

#include <doctest/doctest.h>

#include "job/logs/recording_sink.h"

namespace result_lines_test {

using namespace kml;
using namespace kml::job;

namespace {

const std::string kSeal(64, 'a');

std::string part(const std::string& task = "0") {
  return "kml-result " + task + " 0 1 " + kSeal + " 0123abcd gASVAAAA";
}

LogLine line(const LogSource& source, std::string_view text, bool begins = true, bool ends = true) {
  return {&source, {}, "", text, begins, ends};
}

}  // namespace

TEST_CASE(
    "is_result_line: recognizes a line that the worker printed, but not text that only looks like one") {
  CHECK(is_result_line(part()));
  CHECK(is_result_line(part("12")));
  const std::string texts[] = {"",
                               "kml-result",
                               "kml-result of no kind",
                               " " + part(),
                               "kml-result 0 0 " + kSeal,
                               part("x"),
                               "kml-result 0 0 1 " + kSeal + "a 0123abcd gASV",
                               "kml-result 0 0 1 " + kSeal + " 0123abc gASV"};
  for (const std::string& text : texts) {
    CAPTURE(text);
    CHECK_FALSE(is_result_line(text));
  }
}

TEST_CASE(
    "result_lines: the parts of a result are removed with the empty line before them; other empty lines "
    "stay") {
  const LogSource a{.label = "0"}, b{.label = "1"};
  const std::string result = part();
  RecordingSink sink;
  ResultHider hider(sink);
  const std::vector<LogLine> first = {line(a, "one"), line(a, ""), line(b, ""), line(a, ""), line(a, result)};
  hider.lines(first);
  CHECK(sink.said == "0.0 one\n0.0 \n");
  const std::vector<LogLine> second = {line(a, result, true, false), line(b, "two"),
                                       line(a, "continued", false, true), line(a, "")};
  hider.lines(second);
  CHECK(sink.said == "0.0 one\n0.0 \n1.0 \n1.0 two\n");
  SUBCASE("an empty line at the end of a run") {
    hider.event({LogEvent::Kind::run_ended, "", &a});
    CHECK(sink.said == "0.0 one\n0.0 \n1.0 \n1.0 two\n0.0 \n[end]");
  }
  SUBCASE("an empty line at the end of a log that is not followed") {
    hider.finish();
    CHECK(sink.said == "0.0 one\n0.0 \n1.0 \n1.0 two\n0.0 \n");
  }
}

}  // namespace result_lines_test
