#include "kml/sweep/spec/wandb.h"

#include <doctest/doctest.h>

#include "kml/core/error.h"
#include "kml/core/yaml.h"
#include "kml/sweep/spec/sweep_spec.h"
#include "kml/sweep/stopping/stopping.h"

namespace wandb_test {

using namespace kml;
using namespace kml::sweep;

namespace {

Json from(const std::string& text) {
  return yaml::to_json(yaml::parse_one(text, "sweep.yaml"), "sweep.yaml");
}

constexpr const char* kSweep = R"(
program: train.py
project: vision
name: First one
method: bayes
run_cap: 40
metric: {name: val_loss, goal: minimize, target: 0.1}
parameters:
  lr: {distribution: log_uniform_values, min: 0.0001, max: 0.1}
  batch: {values: [32, 64, 128]}
  layers: {min: 1, max: 8}
  dropout: {min: 0.0, max: 0.5}
  width: {distribution: q_uniform, q: 16, min: 16, max: 256}
  optimizer: {values: [adam, sgd]}
  data: {value: imagenet}
early_terminate: {type: hyperband, min_iter: 3, max_iter: 27}
)";

}  // namespace

TEST_CASE("sweep: a sweep of Weights & Biases is taken over whole") {
  REQUIRE(is_wandb(from(kSweep)));
  ImportedSweep imported = import_wandb(from(kSweep), "sweep.yaml");
  CHECK(imported.command == std::vector<std::string>{"python", "train.py", "{args}"});
  imported.document["spec"]["trialTemplate"]["trialSpec"] = {{"kind", "Job"}, {"args", imported.command}};
  const SweepSpec spec = parse_sweep(imported.document, "sweep.yaml");
  CHECK(spec.name == "first-one");  // in W&B, any text can be a name
  CHECK(spec.algorithm == "auto");
  CHECK(spec.budget.trials == 40);
  CHECK(spec.objective.metric == "val_loss");
  CHECK(spec.objective.goal == 0.1);
  CHECK(spec.stopping.rule == StopRule::asha);
  CHECK(spec.stopping.min == 3);
  CHECK(spec.stopping.max == 27);
  REQUIRE(spec.parameters.size() == 7);
  for (const Parameter& parameter : spec.parameters) {
    if (parameter.name == "lr")
      CHECK((parameter.kind == Kind::real && parameter.log && parameter.low == 1e-4));
    if (parameter.name == "batch") CHECK((parameter.kind == Kind::ordinal && parameter.choices.size() == 3));
    if (parameter.name == "layers") CHECK((parameter.kind == Kind::integer && parameter.high == 8));
    if (parameter.name == "dropout") CHECK((parameter.kind == Kind::real && !parameter.log));
    if (parameter.name == "width") CHECK((parameter.kind == Kind::integer && parameter.step == 16));
    if (parameter.name == "optimizer") CHECK(parameter.kind == Kind::categorical);
    if (parameter.name == "data") CHECK(parameter.choices == std::vector<Json>{"imagenet"});
  }
}

TEST_CASE("sweep: the bands of Weights & Biases, by the examples of its manual") {
  const auto rungs_by = [](Json early) {
    Json document = from(kSweep);
    early["type"] = "hyperband";
    document["early_terminate"] = std::move(early);
    ImportedSweep imported = import_wandb(document, "sweep.yaml");
    imported.document["spec"]["trialTemplate"]["trialSpec"] = {{"kind", "Job"}, {"args", imported.command}};
    const Stopping stopping = parse_sweep(imported.document, "sweep.yaml").stopping;
    std::vector<double> ladder = rungs({.min = stopping.min, .max = stopping.max, .eta = stopping.eta});
    ladder.pop_back();  // the last rung, at which no trial is judged
    return ladder;
  };
  CHECK(rungs_by({{"min_iter", 3}}) == std::vector<double>{3, 9, 27, 81});
  CHECK(rungs_by({{"max_iter", 27}, {"s", 2}}) == std::vector<double>{3, 9});
  CHECK(rungs_by({{"max_iter", 16}, {"s", 9}, {"eta", 2}}) == std::vector<double>{1, 2, 4, 8});
}

TEST_CASE("sweep: a logarithm of Weights & Biases has steps of 1 alone") {
  Json document = from(kSweep);
  document["parameters"]["layers"]["distribution"] = "q_log_uniform_values";
  CHECK_NOTHROW(import_wandb(document, "sweep.yaml"));
  document["parameters"]["layers"]["q"] = 2;
  try {
    import_wandb(document, "sweep.yaml");
    FAIL("it was taken");
  } catch (const Error& error) {
    REQUIRE(error.problems.size() == 1);
    CHECK(error.problems[0].path == "parameters.layers.distribution");
  }
}

TEST_CASE("sweep: what a sweep of Weights & Biases has and kml has not is named, all at once") {
  Json document = from(kSweep);
  document["parameters"]["lr"]["distribution"] = "inv_log_uniform_values";
  document["parameters"]["net"] = {{"parameters", {{"depth", {{"value", 3}}}}}};
  document["early_terminate"].erase("max_iter");
  document["early_terminate"].erase("min_iter");
  document["command"] = {"${env}", "${interpreter}", "${program}", "${args_json}"};
  document["prior_runs"] = {"abc"};
  try {
    import_wandb(document, "sweep.yaml");
    FAIL("it was taken");
  } catch (const Error& error) {
    std::vector<std::string> paths;
    for (const Problem& problem : error.problems) paths.push_back(problem.path);
    CHECK(paths == std::vector<std::string>{"parameters.lr.distribution", "parameters.net.parameters",
                                            "early_terminate.max_iter", "command", "prior_runs"});
  }
}

}  // namespace wandb_test
