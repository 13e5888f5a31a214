#include <doctest/doctest.h>

#include <limits>

#include "pipeline/scripted_steps.h"

namespace kml::pipeline::odd_metric_test {

TEST_CASE(
    "pipeline: a condition on a metric that is NaN or infinite is false, and the next run does not reuse the "
    "metric") {
  TestedPipeline tested(R"y(  steps:
    train: {command: [train], outputs: {loss: metric}}
    deploy: {when: "!(train.loss > 5)", command: [deploy]}
)y");
  double loss = 0;
  std::string text;
  SUBCASE("NaN") {
    loss = std::numeric_limits<double>::quiet_NaN(), text = "NaN";
  }
  SUBCASE("infinity") {
    loss = -std::numeric_limits<double>::infinity(), text = "-Infinity";
  }
  tested.server.script = [&](const StepJob& job) {
    ScriptedSteps::Reports reports = ScriptedSteps::success(job);
    for (engine::JobReport& report : reports) report.value = loss;
    return reports;
  };
  const RunState run = tested.run("r1");
  CHECK(run.end() == Outcome::succeeded);
  CHECK(run.step("train").outputs["loss"]["value"] == text);
  CHECK(run.step("deploy").phase == Phase::skipped);
  CHECK(run.step("deploy").cause == "!(train.loss > 5) does not hold: train.loss is " + text);
  loss = 1;
  const RunState again = tested.run("r2");
  CHECK(again.step("train").phase == Phase::done);
  CHECK(again.step("deploy").phase == Phase::done);
}

}  // namespace kml::pipeline::odd_metric_test
