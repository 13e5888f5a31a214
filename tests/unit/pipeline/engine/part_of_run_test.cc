#include <doctest/doctest.h>

#include "pipeline/file/parse_pipeline.h"
#include "pipeline/scripted_steps.h"

namespace kml::pipeline::part_of_run_test {

TEST_CASE(
    "pipeline: with --keep-going, a run executes all steps that do not depend on a failed one, and then "
    "fails") {
  TestedPipeline tested(R"(  steps:
    bad: {command: [bad, "${out.x}"], outputs: {x: file}}
    good: {command: [good, "${out.x}"], outputs: {x: file}}
    reads-bad: {inputs: {x: bad.x}, command: [a, "${in.x}"]}
    after-bad: {after: [reads-bad], command: [b]}
    reads-good: {inputs: {x: good.x}, command: [c, "${in.x}"]}
)");
  tested.server.script = [](const StepJob& job) {
    return job.step->name == "bad" ? ScriptedSteps::failure(job, "boom") : ScriptedSteps::success(job);
  };
  using P = Phase;
  SUBCASE("with --keep-going") {
    tested.keeps_going = true;
    const RunState run = tested.run("r");
    CHECK(run.end() == Outcome::failed);
    CHECK(phases(run) == std::map<std::string, Phase>{{"bad", P::failed},
                                                      {"good", P::done},
                                                      {"reads-bad", P::skipped},
                                                      {"after-bad", P::skipped},
                                                      {"reads-good", P::done}});
    CHECK(run.step("after-bad").cause == "reads-bad failed, or could not run");
  }
  SUBCASE("without --keep-going, no step starts after the failure") {
    const RunState run = tested.run("r");
    CHECK(run.end() == Outcome::failed);
    CHECK(tested.server.made == std::vector<std::string>{"r-bad", "r-good"});
  }
}

TEST_CASE("pipeline: a part of a run has the named steps, the steps that they need, and onExit") {
  const Pipeline all =
      expanded(parse_pipeline("apiVersion: kml.dev/v1\nkind: Pipeline\nmetadata: {name: p}\nspec:\n"
                              "  steps:\n"
                              "    a: {command: [a, \"${out.x}\"], outputs: {x: file}}\n"
                              "    b: {foreach: {i: [1, 2]}, inputs: {x: a.x}, command: [b]}\n"
                              "    c: {command: [c]}\n"
                              "    d: {after: [b, c], command: [d]}\n"
                              "  onExit: {command: [e]}\n",
                              "p.yaml"),
               Json::object());
  const auto names = [&](const std::vector<std::string>& until) {
    std::vector<std::string> found;
    for (const Step& step : restricted(all, until).steps) found.push_back(step.name);
    return found;
  };
  CHECK(names({"b"}) == std::vector<std::string>{"a", "b-0", "b-1", "on-exit"});
  CHECK(names({"b-1", "c"}) == std::vector<std::string>{"a", "b-1", "c", "on-exit"});
  CHECK(names({}).size() == 6);
  CHECK_THROWS_WITH_AS(names({"aa"}), "the pipeline has no step \"aa\"", Error);
}

TEST_CASE("pipeline: with --keep-going, many skipped steps are decided quickly") {
  std::string steps =
      "  steps:\n    bad: {command: [bad]}\n    no-0: {when: 1 > 2, command: [a]}\n    no-1: {when: 1 > 2, "
      "command: [a]}\n";
  const int layers = 30;  // there are two ways through each step, so there are 2^30 paths
  for (int i = 2; i < 2 * layers; i += 2)
    for (int own = i; own < i + 2; ++own)
      steps += "    no-" + std::to_string(own) + ": {after: [no-" + std::to_string(i - 2) + ", no-" +
               std::to_string(i - 1) + "], when: 1 > 2, command: [a]}\n";
  TestedPipeline tested(steps);
  tested.server.script = [](const StepJob& job) { return ScriptedSteps::failure(job, "boom"); };
  tested.keeps_going = true;
  CHECK(tested.run("r").end() == Outcome::failed);
}

}  // namespace kml::pipeline::part_of_run_test
