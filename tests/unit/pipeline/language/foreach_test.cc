#include <doctest/doctest.h>

#include "kml/pipeline/engine/plan.h"
#include "pipeline/compiled_text.h"
#include "pipeline/file/parse_pipeline.h"
#include "pipeline/scripted_steps.h"

namespace kml::pipeline::tests::foreach {

namespace {

const char* const kSteps = R"(  steps:
    load: {command: [load], outputs: {seeds: value}}
    score:
      foreach: {seed: load.seeds}
      command: [score, "${item.seed}"]
      outputs: {text: value}
    pick:
      inputs: {texts: score.text}
      command: [pick, {$splice: "${in.texts}"}]
)";

/// The first step writes `list` as its output; the outputs of the other steps are always the same.
ScriptedSteps::Reports listing(const std::string& list, const StepJob& job) {
  const ScriptedSteps::Reports reports = ScriptedSteps::success(job);
  if (job.step->name == "load")
    write_file_atomically(job.scope.at("out")["seeds"].get<std::string>(), list, 0644);
  return reports;
}

struct Tested : TestedPipeline {
  explicit Tested(const std::string& list) : TestedPipeline(kSteps) {
    server.script = [list](const StepJob& job) { return listing(list, job); };
  }
};

std::vector<std::string> planned(TestedPipeline& tested) {
  Pipeline pipeline = expanded(parse_pipeline(tested.text, "p.yaml"), tested.params);
  pipeline.folder = tested.folder.path();
  const Cache cache(
      pipeline, tested.store, system_clock(), [&](const Step&) { return tested.surroundings; },
      [&](const Json& made) {
        return tested.store.has(string_at(made, {"path"}), string_at(made, {"digest"}));
      });
  std::vector<std::string> lines;
  for (const PlannedStep& step : plan(pipeline, tested.params, cache, {}))
    lines.push_back(step.step + " " + std::to_string(static_cast<int>(step.what)) + " " + step.cause);
  return lines;
}

}  // namespace

TEST_CASE(
    "foreach: a foreach over another step's list becomes a step per item, and the outputs of these steps "
    "form a list") {
  Tested tested("[\"a\", 2, {\"k\": 3}]\n");
  Json item, texts;
  tested.server.script = [&](const StepJob& job) {
    if (job.step->name == "score-2") item = job.scope.at("item");
    if (job.step->name == "pick") texts = job.scope.at("in")["texts"];
    return listing("[\"a\", 2, {\"k\": 3}]", job);
  };
  const RunState run = tested.run("r");
  CHECK(run.end() == Outcome::succeeded);
  CHECK(run.step("score").phase == Phase::done);
  CHECK(tested.server.made ==
        std::vector<std::string>{"r-load", "r-score-0", "r-score-1", "r-score-2", "r-pick"});
  CHECK(item == Json{{"seed", {{"k", 3}}}});
  CHECK(texts == Json{"text of score-0", "text of score-1", "text of score-2"});
}

TEST_CASE("foreach: an empty list makes no steps, and a step that reads from the foreach still runs") {
  Tested tested("[]");
  CHECK(tested.run("r").end() == Outcome::succeeded);
  CHECK(tested.server.made == std::vector<std::string>{"r-load", "r-pick"});
}

TEST_CASE("foreach: a value that is not a list fails the step and is shown; resume reads it again") {
  Tested tested("7");
  RunState run = tested.run("r");
  CHECK(run.end() == Outcome::failed);
  CHECK(run.step("score").cause.find("load.seeds is not a list or a map in JSON: 7") != std::string::npos);
  CHECK(run.step("pick").phase == Phase::waiting);
  tested.add(record::Resumed{});
  run = tested.run("r");
  CHECK(run.step("score").phase == Phase::failed);
  CHECK(tested.server.made == std::vector<std::string>{"r-load"});
}

TEST_CASE("foreach: without its list, a foreach is skipped, and so are the steps that read from it") {
  TestedPipeline tested(kSteps);
  tested.text.replace(tested.text.find("outputs: {seeds"), 0, "onFailure: continue, ");
  tested.server.script = [](const StepJob& job) { return ScriptedSteps::failure(job, "wanted"); };
  const RunState run = tested.run("r");
  CHECK(run.step("score").phase == Phase::skipped);
  CHECK(run.step("score").cause == "input foreach.seed: load failed");
  CHECK(run.step("pick").phase == Phase::skipped);
}

TEST_CASE("foreach: a resumed engine makes the same steps, wherever the last one was killed") {
  for (int waits = 0; waits < 6; ++waits) {
    Tested tested("[1, 2]");
    tested.server.waits_left = waits;
    tested.run("r");
    tested.server.waits_left = -1;
    const RunState run = tested.run("r");
    CHECK(run.end() == Outcome::succeeded);
    CHECK(run.items() == Json{{"score", {{{"seed", 1}}, {{"seed", 2}}}}});
    CHECK(tested.server.made == std::vector<std::string>{"r-load", "r-score-0", "r-score-1", "r-pick"});
  }
}

TEST_CASE("foreach: if the list changes, only the new steps of the foreach run") {
  Tested tested("[1, 2]");
  tested.run("r1");
  tested.renewal.steps = {"load"};
  tested.server.script = [](const StepJob& job) { return listing("[1, 2, 3]", job); };
  tested.server.made.clear();
  const RunState run = tested.run("r2");
  CHECK(run.end() == Outcome::succeeded);
  CHECK(run.step("score-1").phase == Phase::cached);
  CHECK(tested.server.made == std::vector<std::string>{"r2-load", "r2-score-2", "r2-pick"});
}

TEST_CASE("foreach: a plan says what the steps depend on, and names the steps if the list is known") {
  Tested tested("[1, 2]");
  CHECK(planned(tested) == std::vector<std::string>{"load 1 it has no result yet",
                                                    "score 2 the number of steps depends on load.seeds",
                                                    "pick 1 it has no result yet"});
  tested.run("r");
  CHECK(planned(tested) ==
        std::vector<std::string>{"load 0 r", "score 4 2 steps", "score-0 0 r", "score-1 0 r", "pick 0 r"});
}

TEST_CASE(
    "foreach: --until with the foreach, or with a step that reads from it, includes the step that makes the "
    "list") {
  const Pipeline pipeline = expanded(parse_pipeline(TestedPipeline(kSteps).text, "p.yaml"), Json::object());
  const Pipeline part = restricted(pipeline, {"score"});
  CHECK(part.steps.size() == 2);
  const Json items = {{"score", {{{"seed", 1}}, {{"seed", 2}}}}};
  CHECK(part.with_items(items).steps.size() == 4);
  CHECK(restricted(pipeline, {"pick"}).with_items(items).steps.size() == 5);
  CHECK(part.with_items({{"score", Json::array()}}).steps.size() == 2);
}

TEST_CASE("foreach: a foreach over a file, or over an unknown output, is rejected and named") {
  const auto problem = [](const std::string& from, const std::string& output) {
    std::string text = TestedPipeline(kSteps).text;
    text.replace(text.find("load.seeds"), 10, from);
    text.replace(text.find("seeds: value"), 12, output);
    try {
      parse_pipeline(text, "p.yaml");
    } catch (const Error& error) {
      return error.problems.at(0).path + " " + error.problems.at(0).text;
    }
    return std::string();
  };
  CHECK(problem("load.seeds", "seeds: file") ==
        "spec.steps.score.foreach.seed load.seeds is not a value; foreach needs a value that is a JSON list "
        "or map");
  CHECK(problem("load.none", "seeds: value")
            .starts_with("spec.steps.score.foreach.seed step \"load\" has no output"));
  CHECK(
      problem("nowhere.x", "seeds: value").starts_with("spec.steps.score.foreach.seed no step \"nowhere\""));
}

/// A list, a loop over it whose numbers are collected, and a loop over these numbers.
const char* const kLoops = R"(      list: {componentRef: {name: comp-list}}
      for-loop-1:
        componentRef: {name: comp-for-loop-1}
        dependentTasks: [list]
        inputs: {parameters: {items: {taskOutputParameter: {producerTask: list, outputParameterKey: Output}}}}
        parameterIterator: {itemInput: item, items: {inputParameter: items}}
      for-loop-2:
        componentRef: {name: comp-for-loop-2}
        dependentTasks: [for-loop-1]
        inputs: {parameters: {items: {taskOutputParameter: {producerTask: for-loop-1, outputParameterKey: seen}}}}
        parameterIterator: {itemInput: item, items: {inputParameter: items}}
      total:
        componentRef: {name: comp-say}
        inputs: {parameters: {text: {taskOutputParameter: {producerTask: for-loop-1, outputParameterKey: seen}}}}
)";
const char* const kLoopParts = R"(  comp-list:
    executorLabel: exec-say
    outputDefinitions: {parameters: {Output: {parameterType: LIST}}}
  comp-for-loop-1:
    dag:
      outputs: {parameters: {seen: {valueFromParameter: {outputParameterKey: Output, producerSubtask: count}}}}
      tasks:
        count: {componentRef: {name: comp-count}, inputs: {parameters: {n: {componentInputParameter: item}}}}
    inputDefinitions: {parameters: {items: {parameterType: LIST}, item: {parameterType: NUMBER_INTEGER}}}
    outputDefinitions: {parameters: {seen: {parameterType: NUMBER_INTEGER}}}
  comp-for-loop-2:
    dag:
      tasks:
        count-2: {componentRef: {name: comp-count}, inputs: {parameters: {n: {componentInputParameter: item}}}}
    inputDefinitions: {parameters: {items: {parameterType: LIST}, item: {parameterType: NUMBER_INTEGER}}}
)";

TEST_CASE(
    "kfp: a loop over a task's output, and one over its collected outputs, run once the list is known") {
  TestedPipeline tested("");
  tested.text = compiled(kLoops, kLoopParts);
  std::map<std::string, Json> given;
  tested.server.script = [&](const StepJob& job) {
    const Json values = executor_input(*job.step, job.scope)["inputs"]["parameterValues"];
    given[job.step->name] = values;
    ScriptedSteps::Reports reports = ScriptedSteps::success(job);
    const std::string place = job.scope.at("out")["Output"];
    if (job.step->name == "list") write_file_atomically(place, "[10, 20]", 0644);
    if (values.contains("n")) write_file_atomically(place, std::to_string(values["n"].get<int>() + 1), 0644);
    return reports;
  };
  const RunState run = tested.run("r");
  CHECK(run.end() == Outcome::succeeded);
  CHECK(given["for-loop-1-1-count"] == Json{{"n", 20}});
  CHECK(given["for-loop-2-0-count-2"] == Json{{"n", 11}});
  CHECK(given["for-loop-2-1-count-2"] == Json{{"n", 21}});
  CHECK(given["total"] == Json{{"text", "[11,21]"}});
  CHECK(run.items() == Json{{"for-loop-1", {10, 20}}});
}

TEST_CASE("kfp: a loop over a task's output is checked before the list is known") {
  std::string parts = kLoopParts;
  parts.replace(parts.find("count: {componentRef: {name: comp-count}"), 40,
                "count: {componentRef: {name: comp-none}");
  CHECK_THROWS_AS(parse_pipeline(compiled(kLoops, parts), "p.yaml"), Error);
}

}  // namespace kml::pipeline::tests::foreach
