#include "tracking/commands/run_condition.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kml/base/error.h"

namespace run_condition_test {

using namespace kml;

TEST_CASE("run condition: a name in quotes can be compared with a number") {
  struct Row {
    const char* where;
    std::vector<std::string> names;
  };
  const Row kRows[] = {
      {"\"accuracy/top1\" > 0.9", {"accuracy/top1"}},
      {"'eval-rmse' < 1 && lr < 1e-3", {"eval-rmse", "lr"}},
      {"0.5 <= \"val loss\"", {"val loss"}},
      {"\"val loss\" >= -0.5", {"val loss"}},
      {"isnan(\"val/loss\") || isnan( acc )", {"val/loss", "acc"}},
      {"\"valid_1's auc\" == 1", {"valid_1's auc"}},
      {"\"a\" * 2 < lr && !(\"\xC3\xA4/b\" != 3)", {"a", "lr", "\xC3\xA4/b"}},
      {"py == \"3.10\"", {"py"}},
      {"\"adam\" == opt && state != 'Failed'", {"opt", "state"}},
      {"tags.paper == \"1 < 2\"", {"tags.paper"}},
      {"tags.\xC3\xB6 == \"x\"", {"tags.\xC3\xB6"}},
      {"\"tags.my paper\" == \"x\" && lr > 1", {"tags.my paper", "lr"}},
      {"'x/y' != 'tags.a b'", {"tags.a b"}},
      {"\"val/acc\" == null || null == 'val loss'", {"val/acc", "val loss"}},
      {"\"val/acc\" < inf", {"val/acc", "inf"}},
      {"\xE6\x90\x8D\xE5\xA4\xB1 < 1 && batch-size > 2", {"\xE6\x90\x8D\xE5\xA4\xB1", "batch-size"}},
  };
  for (const auto& [where, names] : kRows) {
    CAPTURE(where);
    const cli::RunCondition condition(where);
    std::vector<std::string> meant;
    for (const std::string& name : condition.expression().names()) meant.push_back(condition.meant(name));
    CHECK(meant == names);
    CHECK(condition.expression().holds_already([](const auto&) { return Json(1); },
                                               [](const auto&) { return true; }) == std::nullopt);
  }
}

TEST_CASE("run condition: the error about a name that needs quotes shows the quotes") {
  for (const char* where : {"val loss < 1", "mAP@0.5 > 0.4", "val\xE2\x80\x93loss < 1", "top% > 1"}) {
    CAPTURE(where);
    std::string fix;
    try {
      cli::RunCondition condition(where);
    } catch (const Error& error) {
      fix = error.fix;
    }
    CHECK(fix.find("put it in quotes: '\"val/acc\" > 0.9'") != std::string::npos);
  }
}

TEST_CASE("run condition: errors have the columns and the words of the condition as it was typed") {
  const cli::RunCondition condition("\"accuracy/top1\" > 1 && opt < 1");
  std::string message;
  try {
    condition.expression().holds(
        [](const std::string& name) { return name == "opt" ? Json("adam") : Json(2); });
  } catch (const Error& error) {
    message = error.message + " " + condition.as_typed(error.why);
  }
  CHECK(message ==
        "column 28: < compares two numbers or two texts; opt is a text, 1 is a number "
        "the condition is: \"accuracy/top1\" > 1 && opt < 1");
  CHECK_THROWS_AS(cli::RunCondition("\"a\" <"), Error);
  CHECK_THROWS_AS(cli::RunCondition("\"a < 1"), Error);
}

}  // namespace run_condition_test
