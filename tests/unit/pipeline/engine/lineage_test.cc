#include "kml/pipeline/engine/lineage.h"

#include <doctest/doctest.h>

#include <set>

#include "kml/pipeline/engine/run_state.h"
#include "pipeline/scripted_steps.h"
#include "support/environment.h"

namespace kml::pipeline::lineage_test {

namespace {

const char* const kFan = R"(  steps:
    load: {command: [load, "${out.data}"], outputs: {data: dataset}}
    train:
      foreach: {seed: [7, 8, 9]}
      inputs: {data: load.data}
      command: [train, "${item.seed}", "${out.model}"]
      outputs: {model: model, score: value}
    fall: {command: [fall], outputs: {score: value}}
    pick: {inputs: {models: train.model}, command: [pick, {$splice: "${in.models}"}], outputs: {text: value}}
    sum: {inputs: {scores: train.score}, command: [sum, {$splice: "${in.scores}"}], outputs: {text: value}}
    first: {inputs: {any: {oneOf: [fall.score, sum.text]}}, command: [first, "${in.any}"], outputs: {text: value}}
)";

std::set<std::string> readers_of(const RunState& run, const std::string& step, const std::string& output) {
  std::set<std::string> steps;
  for (const Artifact& artifact : artifacts_of(run)) {
    if (artifact.name.step != step || artifact.name.output != output) continue;
    const Json found = uses_of(artifact);
    for (const Json& use : found.at("uses")) steps.insert(string_at(use, {"step"}));
  }
  return steps;
}

}  // namespace

TEST_CASE("lineage: a step that reads a list reads each of its items") {
  TestedPipeline tested(kFan);
  const EnvironmentVariable state("KML_STATE_DIR", tested.folder.path().c_str());
  const RunState run = tested.run("r");
  REQUIRE(run.end() == Outcome::succeeded);
  using Steps = std::set<std::string>;
  CHECK(readers_of(run, "load", "data") == Steps{"train-0", "train-1", "train-2"});
  for (const char* step : {"train-0", "train-1", "train-2"}) {
    CAPTURE(step);
    CHECK(readers_of(run, step, "model") == Steps{"pick"});
    CHECK(readers_of(run, step, "score") == Steps{"sum"});
  }
  CHECK(readers_of(run, "fall", "score") == Steps{"first"});
  CHECK(readers_of(run, "sum", "text").empty());
}

TEST_CASE("lineage: an artifact that was made from a list was made from each of its items") {
  TestedPipeline tested(kFan);
  const RunState run = tested.run("r");
  REQUIRE(run.end() == Outcome::succeeded);
  for (const Artifact& artifact : artifacts_of(run)) {
    if (artifact.name.step != "sum") continue;
    const Json lineage = lineage_in(run, artifact, tested.store);
    REQUIRE(lineage["inputs"].size() == 3);
    CHECK(lineage["inputs"]["scores-0"]["name"] == "r/train-0.score");
    CHECK(lineage["inputs"]["scores-2"]["name"] == "r/train-2.score");
    CHECK(lineage["inputs"]["scores-2"]["inputs"]["data"]["name"] == "r/load.data");
  }
}

}  // namespace kml::pipeline::lineage_test
