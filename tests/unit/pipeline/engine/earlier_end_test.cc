#include <doctest/doctest.h>

#include <optional>

#include "pipeline/scripted_steps.h"

namespace kml::pipeline::earlier_end_test {

namespace {

using std::chrono::hours;
using std::chrono::seconds;

/// A run whose first engine was killed an hour ago, while step a was running; its second engine is running
/// now. The job ends when `ended` says.
RunState continued_run(std::optional<Time> ended, bool succeeds) {
  TestedPipeline tested("  steps: {a: {command: [a]}}\n");
  const Time began = system_clock().now() - hours(1);
  {
    Journal journal = tested.journal_of("r");
    journal.add({began, record::Run{.name = "r", .text = tested.text, .target = Json::object()}});
    journal.add(
        {began, record::Begun{"a", 0, "r-a", "k", Json::object(), Json::object(), "it has no result yet"}});
    journal.commit();
  }
  tested.server.script = [&](const StepJob& job) {
    auto reports = succeeds ? ScriptedSteps::success(job) : ScriptedSteps::failure(job, "exit code 1");
    reports.back().job_ended = ended;
    return reports;
  };
  return tested.run("r");
}

}  // namespace

TEST_CASE("pipeline: a step whose job ended while no engine was running ended when its job did") {
  const Time now = system_clock().now();
  for (const bool succeeds : {true, false}) {
    CAPTURE(succeeds);
    const StepState early = continued_run(now - hours(1) + seconds(60), succeeds).step("a");
    CHECK(early.phase == (succeeds ? Phase::done : Phase::failed));
    CHECK(*early.ended - *early.began < seconds(70));
    // The server's clock is behind.
    const StepState skewed = continued_run(now - hours(9), succeeds).step("a");
    CHECK(*skewed.ended == *skewed.began);
    // The job ended while the second engine was running, or it is not known when.
    for (const auto& ended : {std::optional(now + hours(1)), std::optional<Time>()}) {
      const StepState late = continued_run(ended, succeeds).step("a");
      CHECK(*late.ended - *late.began >= hours(1));
      CHECK(*late.ended < now + hours(1));
    }
  }
}

}  // namespace kml::pipeline::earlier_end_test
