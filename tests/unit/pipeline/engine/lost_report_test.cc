#include <doctest/doctest.h>

#include "pipeline/scripted_steps.h"

namespace kml::pipeline::lost_report_test {

TEST_CASE("pipeline: a step whose outputs are lost with its pod runs again, and uses up no retry") {
  TestedPipeline tested("  steps: {a: {command: [a, \"${out.x}\"], outputs: {x: file}}}\n");
  tested.server.lost_reports = {"r-a", "r-a-r1"};
  const RunState run = tested.run("r");
  CHECK(run.end() == Outcome::succeeded);
  CHECK(tested.server.made == std::vector<std::string>{"r-a", "r-a-r1", "r-a-r2"});
  CHECK(run.step("a").failures == 0);
}

}  // namespace kml::pipeline::lost_report_test
