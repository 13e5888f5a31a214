#include "pipeline/engine/engine.h"

#include <doctest/doctest.h>

#include <optional>
#include <set>

#include "pipeline/scripted_steps.h"

namespace kml::pipeline::engine_loops_test {

const char* const kEach = R"(  steps:
    a:
      foreach: {seed: [1, 2, 3], parallel: 2}
      command: [a, "${item.seed}", "${out.x}"]
      outputs: {x: value}
    b: {inputs: {all: a.x}, when: max(a.x) > 2, command: [b, {$splice: "${in.all}"}]}
)";

TEST_CASE(
    "pipeline: a foreach runs as many of its steps at once as allowed, and passes on all their outputs") {
  TestedPipeline tested(kEach);
  size_t most = 0;
  Json read;
  tested.server.script = [&](const StepJob& job) {
    if (job.step->name == "b") read = job.scope.at("in")["all"];
    if (job.step->group == "a")
      write_file_atomically(job.scope.at("out")["x"].get<std::string>(),
                            job.scope.at("item")["seed"].dump() + "\n", 0644);
    most = std::max(most, tested.server.untold() + 1);
    auto reports = ScriptedSteps::failure(job, "");
    reports.back().succeeded = true;
    return reports;
  };
  const RunState run = tested.run("r");
  CHECK(run.end() == Outcome::succeeded);
  CHECK(most == 2);
  CHECK(read == Json{1, 2, 3});
  CHECK(phases(tested.run("r2"))["b"] == Phase::cached);
}

TEST_CASE("pipeline: the onExit step runs at the end, and knows how the run ended") {
  TestedPipeline tested(R"(  steps: {a: {command: [a]}, b: {after: [a], command: [b]}}
  onExit: {command: [tell, "${run.status}"]}
)");
  std::vector<std::string> told;
  bool fails = true;
  tested.server.script = [&](const StepJob& job) {
    if (job.step->at_exit) told.push_back(job.scope.at("run")["status"]);
    return fails && !job.step->at_exit ? ScriptedSteps::failure(job, "exit code 1")
                                       : ScriptedSteps::success(job);
  };
  CHECK(tested.run("r").end() == Outcome::failed);
  CHECK(tested.server.made == std::vector<std::string>{"r-a", "r-on-exit"});
  fails = false;
  CHECK(tested.run("r2").end() == Outcome::succeeded);
  CHECK(told == std::vector<std::string>{"failed", "succeeded"});
}

TEST_CASE("pipeline: a resumed run ends with its onExit step again") {
  TestedPipeline tested("  steps: {a: {command: [a]}}\n  onExit: {command: [tell]}\n");
  bool fails = true;
  tested.server.script = [&](const StepJob& job) {
    return fails && !job.step->at_exit ? ScriptedSteps::failure(job, "exit code 1")
                                       : ScriptedSteps::success(job);
  };
  CHECK(tested.run("r").end() == Outcome::failed);
  fails = false;
  tested.add(record::Resumed{});
  CHECK(tested.run("r").end() == Outcome::succeeded);
  CHECK(tested.server.made == std::vector<std::string>{"r-a", "r-on-exit", "r-a-r1", "r-on-exit-r1"});
}

}  // namespace kml::pipeline::engine_loops_test
