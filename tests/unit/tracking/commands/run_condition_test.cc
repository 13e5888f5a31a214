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
      {"\"valid_1's auc\" == 1", {"valid_1's auc"}},
      {"\"a\" * 2 < lr && !(\"\xC3\xA4/b\" != 3)", {"a", "lr", "\xC3\xA4/b"}},
      {"py == \"3.10\"", {"py"}},
      {"\"adam\" == opt && state != 'Failed'", {"opt", "state"}},
      {"tags.paper == \"1 < 2\"", {"tags.paper"}},
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
