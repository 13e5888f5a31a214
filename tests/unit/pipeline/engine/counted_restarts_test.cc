#include <doctest/doctest.h>

#include "pipeline/scripted_steps.h"

namespace kml::pipeline::counted_restarts_test {

TEST_CASE("pipeline: if restarts are counted, a step has no more jobs than its retries allow") {
  enum class Fault { preempted, report_lost, deleted, own };
  for (const Fault fault : {Fault::preempted, Fault::report_lost, Fault::deleted, Fault::own}) {
    CAPTURE(static_cast<int>(fault));
    for (const int retries : {0, 2}) {
      TestedPipeline tested("  steps: {a: {command: [a, \"${out.x}\"], outputs: {x: file}, retries: " +
                            std::to_string(retries) + "}}\n");
      tested.counts_restarts = true;
      if (fault == Fault::report_lost) tested.server.lost_reports = {"r-a", "r-a-r1", "r-a-r2", "r-a-r3"};
      tested.server.script = [&](const StepJob& job) {
        if (fault == Fault::report_lost) return ScriptedSteps::success(job);
        auto reports = ScriptedSteps::failure(job, "it ended");
        reports.back().is_disrupted = fault == Fault::preempted;
        if (fault == Fault::deleted) reports.back().kind = engine::JobReport::Kind::gone;
        return reports;
      };
      CHECK(tested.run("r").end() == Outcome::failed);
      CHECK(tested.server.made.size() == static_cast<size_t>(1 + retries));
    }
  }
}

TEST_CASE("pipeline: if restarts are counted, a step whose output is gone is not run again") {
  TestedPipeline tested(R"(  steps:
    load: {command: [load, "${out.data}"], outputs: {data: file}}
    train: {inputs: {data: load.data}, command: [train, "${in.data}"]}
)");
  tested.counts_restarts = true;
  tested.server.script = [](const StepJob& job) {
    if (job.step->name != "train") return ScriptedSteps::success(job);
    auto reports = ScriptedSteps::failure(job, "input data is gone");
    reports.back().lost_input = "data";
    return reports;
  };
  CHECK(tested.run("r").end() == Outcome::failed);
  CHECK(tested.server.made == std::vector<std::string>{"r-load", "r-train"});
}

}  // namespace kml::pipeline::counted_restarts_test
