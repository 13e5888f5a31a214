#include "sweep/spec/wandb.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/process.h"
#include "kml/base/pyyaml.h"
#include "kml/base/text.h"
#include "kml/sweep/spec/sweep_spec.h"
#include "kml/sweep/stopping/stopping.h"
#include "sweep/spec/trial_template.h"

namespace wandb_test {

using namespace kml;
using namespace kml::sweep;

namespace {

Json from(const std::string& text) {
  return yaml::python_json(yaml::parse_one(text, "sweep.yaml"), "sweep.yaml", false);
}

/// The spec in a Weights & Biases file with its own command.
SweepSpec spec_of(const Json& document) {
  ImportedSweep imported = import_wandb(document, "sweep.yaml");
  Json& trial = imported.document["spec"]["trialTemplate"];
  trial["placeholders"] = "wandb";
  trial["trialSpec"] = {{"kind", "Job"}, {"args", imported.command}};
  imported.document["metadata"]["name"] = "s";
  return parse_sweep(imported.document, "sweep.yaml");
}

std::vector<std::string> refused_in(const Json& document) {
  std::vector<std::string> paths;
  try {
    import_wandb(document, "sweep.yaml");
  } catch (const Error& error) {
    for (const Problem& problem : error.problems) paths.push_back(problem.path);
  }
  return paths;
}

Json with_parameters(const Json& parameters) {
  return {
      {"method", "random"}, {"program", "a.py"}, {"metric", {{"name", "loss"}}}, {"parameters", parameters}};
}

constexpr double kUnits[] = {0.0317, 0.2531, 0.4987, 0.7719, 0.9923};

/// The values at kUnits of Weights & Biases parameters, computed by HyperParameter(...).ppf() of its package
/// sweeps 0.3.0.
constexpr const char* kQuantiles = R"(
{"given": {"min": 0.0, "max": 1.0}, "quantiles": [0.0317, 0.2531, 0.4987, 0.7719, 0.9923]}
{"given": {"min": 0, "max": 1.0}, "quantiles": [0.0317, 0.2531, 0.4987, 0.7719, 0.9923]}
{"given": {"min": 1, "max": 8}, "quantiles": [1, 3, 4, 7, 8]}
{"given": {"distribution": "uniform", "min": 1, "max": 8}, "quantiles": [1.2219, 2.7717, 4.4909, 6.4033, 7.9460999999999995]}
{"given": {"distribution": "int_uniform", "min": -3, "max": 40}, "quantiles": [-2, 8, 18, 30, 40]}
{"given": {"distribution": "q_uniform", "min": 0.13, "max": 0.97, "q": 0.05}, "quantiles": [0.15000000000000002, 0.35000000000000003, 0.55, 0.8, 0.9500000000000001]}
{"given": {"distribution": "q_uniform", "min": 3, "max": 100, "q": 8}, "quantiles": [8, 24, 48, 80, 96]}
{"given": {"distribution": "q_uniform", "min": 0, "max": 10}, "quantiles": [0.0, 3.0, 5.0, 8.0, 10.0]}
{"given": {"distribution": "log_uniform_values", "min": 0.0001, "max": 0.1}, "quantiles": [0.00012448012048446737, 0.0005745131848169437, 0.003134007273083862, 0.02068711839599835, 0.09482001070195066]}
{"given": {"distribution": "log_uniform", "min": -9, "max": -2.5}, "quantiles": [0.00015164777437510335, 0.0006394833328937673, 0.00315599960865132, 0.01863618794552183, 0.07807776201545351]}
{"given": {"distribution": "inv_log_uniform", "min": 2, "max": 6}, "quantiles": [0.002813854577053629, 0.006822017703015296, 0.018220644765287047, 0.05434514488216903, 0.131230494747736]}
{"given": {"distribution": "inv_log_uniform_values", "min": 0.001, "max": 0.5}, "quantiles": [0.0012177477873690965, 0.004820691149091937, 0.02218075583543547, 0.12115321583732291, 0.4766372007488629]}
{"given": {"distribution": "q_log_uniform_values", "min": 3, "max": 1000, "q": 4}, "quantiles": [4, 12, 56, 264, 956]}
{"given": {"distribution": "q_log_uniform_values", "min": 0.2, "max": 50, "q": 0.5}, "quantiles": [0.0, 1.0, 3.0, 14.0, 48.0]}
{"given": {"distribution": "q_log_uniform", "min": 0, "max": 5.5, "q": 1}, "quantiles": [1, 4, 16, 70, 235]}
{"given": {"distribution": "normal"}, "quantiles": [-1.856375881677402, -0.6647662694730193, -0.0032586225240239675, 0.7451186426554625, 2.422833101889276]}
{"given": {"distribution": "normal", "mu": 12.5, "sigma": 3}, "quantiles": [6.930872354967794, 10.505701191580942, 12.490224132427928, 14.735355927966388, 19.768499305667827]}
{"given": {"distribution": "q_normal", "mu": 64, "sigma": 20, "q": 8}, "quantiles": [24, 48, 64, 80, 112]}
{"given": {"distribution": "log_normal", "mu": -4, "sigma": 0.7}, "quantiles": [0.00499427452747748, 0.011500826361979676, 0.01827390787439932, 0.030856219323222876, 0.09985692887611027]}
{"given": {"distribution": "q_log_normal", "mu": 3, "sigma": 1, "q": 5}, "quantiles": [5, 10, 20, 40, 225]}
{"given": {"values": ["a", "b", "c"]}, "quantiles": ["a", "a", "b", "c", "c"]}
{"given": {"values": ["a", "b", "c"], "probabilities": [0.6, 0.1, 0.3]}, "quantiles": ["a", "a", "a", "c", "c"]}
{"given": {"distribution": "categorical_w_probabilities", "values": [3, 1, 2], "probabilities": [0.25, 0.0, 0.75]}, "quantiles": [3, 2, 2, 2, 2]}
{"given": {"distribution": "constant", "value": null}, "quantiles": [null, null, null, null, null]}
{"given": {"distribution": "categorical", "values": [null, true, "x", 1.5, [1, 2]]}, "quantiles": [null, true, "x", 1.5, [1, 2]]}
)";

/// The words for a trial's values, made by create_sweep_command_args() of wandb 0.31.0.
constexpr const char* kArguments = R"x({
"args": ["--adam=True", "--amsgrad=False", "--data=None", "--layers=[32, \"it's\", 0.5]", "--lr=1e-05", "--name=a b", "--net={'depth': 3, 'wide': True}", "--width=16.0"],
"args_no_equals": ["--adam", "True", "--amsgrad", "False", "--data", "None", "--layers", "[32, \"it's\", 0.5]", "--lr", "1e-05", "--name", "a b", "--net", "{'depth': 3, 'wide': True}", "--width", "16.0"],
"args_no_hyphens": ["adam=True", "amsgrad=False", "data=None", "layers=[32, \"it's\", 0.5]", "lr=1e-05", "name=a b", "net={'depth': 3, 'wide': True}", "width=16.0"],
"args_no_boolean_flags": ["--adam", "--data=None", "--layers=[32, \"it's\", 0.5]", "--lr=1e-05", "--name=a b", "--net={'depth': 3, 'wide': True}", "--width=16.0"],
"args_json": ["{\"adam\": true, \"amsgrad\": false, \"data\": null, \"layers\": [32, \"it's\", 0.5], \"lr\": 1e-05, \"name\": \"a b\", \"net\": {\"depth\": 3, \"wide\": true}, \"width\": 16.0}"],
"args_append_hydra": ["+adam=True", "+amsgrad=False", "+data=None", "+layers=[32, \"it's\", 0.5]", "+lr=1e-05", "+name=a b", "+net={'depth': 3, 'wide': True}", "+width=16.0"],
"args_override_hydra": ["++adam=True", "++amsgrad=False", "++data=None", "++layers=[32, \"it's\", 0.5]", "++lr=1e-05", "++name=a b", "++net={'depth': 3, 'wide': True}", "++width=16.0"]
})x";

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

TEST_CASE("sweep: a Weights & Biases sweep is read completely") {
  REQUIRE(is_wandb(from(kSweep)));
  ImportedSweep imported = import_wandb(from(kSweep), "sweep.yaml");
  CHECK(imported.command == std::vector<std::string>{"python", "train.py", "${args}"});
  imported.document["spec"]["trialTemplate"]["trialSpec"] = {{"kind", "Job"}, {"args", imported.command}};
  const SweepSpec spec = parse_sweep(imported.document, "sweep.yaml");
  CHECK(spec.name == "first-one");  // in W&B, any text can be a name
  CHECK(spec.algorithm == "auto");
  CHECK(spec.budget.trials == 40);
  CHECK(spec.objective.metric == "val_loss");
  CHECK(spec.objective.goal == 0.1);
  CHECK(spec.stopping.rule == StopRule::asha);
  CHECK(spec.stopping.rungs == std::vector<double>{3, 9});
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

TEST_CASE("sweep: the bands of Weights & Biases equal the examples in its manual") {
  const auto rungs_by = [](Json early) {
    Json document = from(kSweep);
    const bool strict = early.value("strict", false);
    early["type"] = "hyperband";
    document["early_terminate"] = std::move(early);
    ImportedSweep imported = import_wandb(document, "sweep.yaml");
    imported.document["spec"]["trialTemplate"]["trialSpec"] = {{"kind", "Job"}, {"args", imported.command}};
    const StopOptions options = stop_options(parse_sweep(imported.document, "sweep.yaml").stopping);
    for (std::uint64_t trial = 0; trial < 16; ++trial) CHECK(bracket_of(options, trial) == 0);
    CHECK(options.by_best != strict);
    std::vector<double> ladder = rungs(options);
    ladder.pop_back();  // the last rung, at which no trial is judged
    if (ladder.size() > 4) ladder.resize(4);
    return ladder;
  };
  struct Row {
    Json early;
    std::vector<double> bands;
  };
  for (const auto& [early, bands] :
       {Row{{{"min_iter", 3}}, {3, 9, 27, 81}}, Row{{{"min_iter", 3}, {"strict", true}}, {3, 9, 27, 81}},
        Row{{{"max_iter", 27}, {"s", 2}}, {3, 9}},
        Row{{{"max_iter", 16}, {"s", 9}, {"eta", 2}}, {1, 2, 4, 8}},
        Row{{{"max_iter", 100}, {"s", 3}, {"strict", false}}, {3, 11, 33}},
        Row{{{"max_iter", 20}, {"s", 9}}, {2, 6}}, Row{{{"max_iter", 27}, {"s", 1}, {"min_iter", 1}}, {9}},
        Row{{{"max_iter", 27}, {"min_iter", 3}}, {3, 9}}}) {
    CAPTURE(early);
    CHECK(rungs_by(early) == bands);
  }
}

TEST_CASE("sweep: each supported Weights & Biases distribution has the quantiles of wandb's sampler") {
  for (const std::string& line : split(kQuantiles, '\n')) {
    if (line.empty()) continue;
    CAPTURE(line);
    const Json recorded = Json::parse(line);
    const Json document = with_parameters({{"x", recorded["given"]}});
    const Space space(spec_of(document).parameters);
    for (size_t i = 0; i < std::size(kUnits); ++i) {
      const Json value = space.assignment(space.from_unit(std::vector{kUnits[i]}))["x"];
      const Json& wanted = recorded["quantiles"][i];
      CAPTURE(value);
      CHECK(value.is_number_float() == wanted.is_number_float());  // 8 is not 8.0
      if (wanted.is_number())
        CHECK(value.get<double>() == doctest::Approx(wanted.get<double>()).epsilon(1e-9));
      else
        CHECK(value == wanted);
    }
  }
}

TEST_CASE("sweep: values of a quantized distribution share the whole axis, each by its probability") {
  const Json given = {{"distribution", "q_log_uniform_values"}, {"min", 0.2}, {"max", 50}, {"q", 0.5}};
  const Space space(spec_of(with_parameters({{"x", given}})).parameters);
  double before = 0;
  for (int i = 0; i <= 100; ++i) {
    const double value = i * 0.5;
    const auto [begin, end] = space.cell(0, value);
    CHECK(begin == doctest::Approx(before));
    if (end > begin) CHECK(space.value_at(0, (begin + end) / 2) == doctest::Approx(value));
    before = end;
  }
  CHECK(before == doctest::Approx(1));
}

TEST_CASE("sweep: a Weights & Biases grid has a trial for each point, unless run_cap is lower") {
  Json document =
      with_parameters({{"a", {{"values", {1, 2, 2, 3}}}},
                       {"b", {{"min", 1}, {"max", 40}}},
                       {"c", {{"distribution", "q_uniform"}, {"min", 0.1}, {"max", 0.5}, {"q", 0.1}}},
                       {"d", {{"value", "x"}}}});
  document["method"] = "grid";
  document.erase("run_cap");
  const SweepSpec spec = spec_of(document);
  CHECK(spec.budget.trials == 3 * 40 * 4);
  CHECK(Space(spec.parameters).size() == spec.budget.trials);
  document["run_cap"] = 7;
  CHECK(spec_of(document).budget.trials == 7);
}

TEST_CASE("sweep: a Weights & Biases command gets its arguments as from the wandb agent") {
  Json document =
      with_parameters({{"adam", {{"value", true}}},
                       {"amsgrad", {{"value", false}}},
                       {"data", {{"value", nullptr}}},
                       {"layers", {{"value", {32, "it's", 0.5}}}},
                       {"lr", {{"value", 1e-05}}},
                       {"name", {{"value", "a b"}}},
                       {"net", {{"parameters", {{"depth", {{"values", {3}}}}, {"wide", {{"value", true}}}}}}},
                       {"width", {{"value", 16.0}}}});
  const Json arguments = Json::parse(kArguments);
  for (const auto& [macro, words] : arguments.items()) {
    CAPTURE(macro);
    document["command"] = {"a", "{lr}", "--x=${lr}", "${args}x", "${" + macro + "}"};
    const SweepSpec spec = spec_of(document);
    const Space space(spec.parameters);
    const TrialTemplate trial_template(spec);
    const Json manifest = trial_template.manifest(
        {.name = "s-t0", .trial = 7, .values = space.assignment(space.grid_point(0))});
    Json wanted = {"a", "{lr}", "--x=${lr}", "${args}x"};
    wanted.insert(wanted.end(), words.begin(), words.end());
    CHECK(manifest["args"] == wanted);
  }
  document["command"] = {"a", "${args_json_file}"};
  const SweepSpec spec = spec_of(document);
  const Json args =
      TrialTemplate(spec).manifest({.name = "s-t0", .trial = 7, .values = Json::object()})["args"];
  CHECK(args[3] == "wandb/config-7.json");
  CHECK(args[4] == "{}");
  CHECK(args[5] == "a");
  CHECK(args[6] == "wandb/config-7.json");
}

TEST_CASE("sweep: variables in a Weights & Biases command are filled in as the wandb agent does") {
  Json document = with_parameters({{"x", {{"value", "it's ${envvar:WHO} $WHO"}}}});
  document["command"] = {"printf",  "%s|", "${envvar:WHO}", "--a=${envvar:WHO}'s ${envvar:NOT_SET}!",
                         "${args}", "$WHO"};
  const Json args = TrialTemplate(spec_of(document))
                        .manifest({.name = "s-t0", .values = {{"x", "it's ${envvar:WHO} $WHO"}}})["args"];
  std::vector<std::string> words = {"env", "WHO=an a"};
  for (const Json& word : args) words.push_back(word);
  CHECK(run_process(words).out == "an a|--a=an a's NOT_SET!|--x=it's ${envvar:WHO} $WHO|$WHO|");
}

TEST_CASE("sweep: numbers in a Weights & Biases file have PyYAML's types; those beyond 64 bits stay texts") {
  const SweepSpec spec = spec_of(from(R"(
method: random
metric: {name: loss}
program: a.py
parameters:
  real: {min: 0.0, max: 1.0}
  exponent: {min: 1e-4, max: 1}
  whole: {min: 0, max: 1}
  list: {values: [1.0, 2]}
  words: {values: [1e-3, 08, 1:30, yes, n]}
  large: {values: [100000000000000000000, 12345678901234567890]}
)"));
  for (const Parameter& parameter : spec.parameters) {
    if (parameter.name == "whole") CHECK(parameter.kind == Kind::integer);
    if (parameter.name == "real" || parameter.name == "exponent") CHECK(parameter.kind == Kind::real);
    if (parameter.name == "list") CHECK(Json(parameter.choices).dump() == "[1.0,2]");
    if (parameter.name == "large")
      CHECK(Json(parameter.choices).dump() == R"(["100000000000000000000",12345678901234567890])");
    if (parameter.name == "words") CHECK(Json(parameter.choices).dump() == R"(["1e-3","08",90,true,"n"])");
  }
}

TEST_CASE(
    "sweep: a setting that Weights & Biases rejects, or that kml does not support, is reported by its "
    "field") {
  const std::vector<std::pair<Json, std::string>> table = {
      {{{"distribution", "beta"}}, "distribution"},
      {{{"distribution", "q_beta"}, {"a", 1}, {"b", 2}}, "distribution"},
      {{{"distribution", "log_unifrom"}, {"min", 1}, {"max", 2}}, "distribution"},
      {{{"min", 2}, {"max", 2}}, "min"},
      {{{"min", 2}}, "max"},
      {{{"min", "a"}, {"max", 2}}, "min"},
      {{{"distribution", "int_uniform"}, {"min", 0.5}, {"max", 2}}, "min"},
      {{{"distribution", "log_uniform_values"}, {"min", 0}, {"max", 2}}, "min"},
      {{{"distribution", "log_uniform"}, {"min", 0}, {"max", 2000}}, "max"},
      {{{"distribution", "inv_log_uniform"}, {"min", 0}, {"max", 2000}}, "max"},
      {{{"distribution", "log_normal"}, {"sigma", 1000}}, "sigma"},
      {{{"distribution", "normal"}, {"sigma", -1}}, "sigma"},
      {{{"distribution", "normal"}, {"min", 1}}, "min"},
      {{{"distribution", "q_uniform"}, {"min", 0}, {"max", 2}, {"q", 0}}, "q"},
      {{{"distribution", "uniform"}, {"min", 0}, {"max", 2}, {"q", 1}}, "q"},
      {{{"values", Json::array()}}, "values"},
      {{{"values", {1, 2}}, {"probabilities", {1}}}, "probabilities"},
      {{{"values", {1, 2}}, {"probabilities", {0.5, 0.6}}}, "probabilities"},
      {{{"values", {1, 2}}, {"probabilities", {1.5, -0.5}}}, "probabilities"},
      {{{"parameters", Json::object()}}, "parameters"},
      {{{"parameters", {{"y", {{"min", 1}}}}}}, "parameters.y.max"},
      {{{"value", 3}, {"vlaues", {1}}}, "vlaues"},
  };
  for (const auto& [given, field] : table) {
    CAPTURE(given);
    CHECK(refused_in(with_parameters({{"x", given}})) == std::vector<std::string>{"parameters.x." + field});
  }
  Json grid = with_parameters({{"x", {{"min", 0.0}, {"max", 1.0}}}});
  grid["method"] = "grid";
  CHECK(refused_in(grid) == std::vector<std::string>{"parameters.x.distribution"});
  const std::vector<std::pair<std::string, Json>> others = {{"method", "custom"},
                                                            {"command", {"${args_dict}"}},
                                                            {"command", {"python", "${envvar:home}"}},
                                                            {"command", {"python", "${envvar:}"}},
                                                            {"command", {"python", "a${envvar:X"}},
                                                            {"metric.impute", "best"},
                                                            {"run_cap", 0},
                                                            {"image_uri", "x"}};
  for (const auto& [path, value] : others) {
    Json document = from(kSweep);
    if (path == "metric.impute")
      document["metric"]["impute"] = value;
    else
      document[path] = value;
    CAPTURE(path);
    CHECK(refused_in(document) == std::vector<std::string>{path});
  }
}

TEST_CASE("sweep: a variable of a Weights & Biases command that is set only here is noted") {
  Json document = from(kSweep);
  document["command"] = {"python", "${envvar:A}", "x${envvar:B_2}y${envvar:A}", "${envvar:HOME}", "${args}"};
  const ImportedSweep imported = import_wandb(document, "sweep.yaml");
  CHECK(imported.variables == std::set<std::string>{"A", "B_2", "HOME"});
  const auto trial = [](const Json& container) {
    return Json{{"spec", {{"template", {{"spec", {{"containers", {container}}}}}}}}};
  };
  struct Row {
    Json container;
    std::string set_here, noted;
  };
  for (const auto& [container, set_here, noted] :
       {Row{{{"name", "a"}}, "", ""}, Row{{{"name", "a"}}, "A", "A"}, Row{{{"name", "a"}}, "B_2", "B_2"},
        Row{{{"name", "A"}}, "HOME", ""}, Row{{{"env", {{{"name", "A"}, {"value", "1"}}}}}, "A", ""},
        Row{{{"env", {{{"name", "B"}, {"value", "A"}}}}}, "A", "A"},
        Row{{{"envFrom", {{{"secretRef", {{"name", "s"}}}}}}}, "A", ""}}) {
    CAPTURE(container);
    CAPTURE(set_here);
    const auto notes =
        notes_on_variables(imported.variables, trial(container),
                           [&, &set = set_here](const std::string& name) { return name == set; });
    CHECK(notes.size() == (noted.empty() ? 0 : 1));
    if (!notes.empty()) CHECK(notes[0].starts_with(noted + " is set here, but not in the trials"));
  }
}

TEST_CASE("sweep: early_terminate needs what W&B's schema needs: max_iter with s, or min_iter") {
  const auto refused_with = [](Json early) {
    Json document = from(kSweep);
    early["type"] = "hyperband";
    document["early_terminate"] = std::move(early);
    return refused_in(document);
  };
  CHECK(refused_with({{"max_iter", 27}}) == std::vector<std::string>{"early_terminate.s"});
  CHECK(refused_with({{"max_iter", 27}, {"eta", 2}}) == std::vector<std::string>{"early_terminate.s"});
  CHECK(refused_with({{"max_iter", 27}, {"s", 2}}).empty());
  CHECK(refused_with({{"min_iter", 3}}).empty());
  CHECK(refused_with({{"min_iter", 3}, {"max_iter", 27}}).empty());
  CHECK(refused_with({{"s", 2}}) == std::vector<std::string>{"early_terminate.max_iter"});
}

TEST_CASE("sweep: several mistakes in a Weights & Biases file are reported at once") {
  Json document = from(kSweep);
  document["parameters"]["lr"]["distribution"] = "beta";
  document["parameters"]["net"] = {{"parameters", {{"depth", {{"min", 3}}}}}};
  document["early_terminate"].erase("max_iter");
  document["early_terminate"].erase("min_iter");
  document["command"] = {"${env}", "${interpreter}", "${program}", "${arg}"};
  document["prior_runs"] = {"abc"};
  std::vector<std::string> paths = refused_in(document);
  CHECK(paths.size() == 5);
  for (const char* path : {"parameters.lr.distribution", "parameters.net.parameters.depth.max",
                           "early_terminate.max_iter", "command", "prior_runs"})
    CHECK(std::find(paths.begin(), paths.end(), path) != paths.end());
}

}  // namespace wandb_test
