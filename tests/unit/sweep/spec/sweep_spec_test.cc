#include "kml/sweep/spec/sweep_spec.h"
#include "kml/sweep/engine/progress.h"

#include "kml/sweep/stopping/stopping.h"
#include "sweep/spec/sweep_documents.h"
#include "sweep/spec/trial_template.h"
#include "sweep/spec/unused_settings.h"

namespace kml::sweep::sweep_spec_test {

TEST_CASE("sweep spec: a Katib Experiment is accepted unchanged") {
  const SweepSpec spec = parse_sweep(yaml_of(kExperiment), "random.yaml");
  CHECK(spec.name == "random");
  CHECK(!spec.objective.maximize);
  CHECK(spec.objective.goal == 0.001);
  CHECK(spec.objective.strategy == Objective::Strategy::best);
  CHECK(spec.parallel == 3);
  CHECK(spec.budget.trials == 12);
  CHECK(spec.max_failed == 3);
  REQUIRE(spec.parameters.size() == 3);
  CHECK(spec.parameters[0].low == 0.01);
  CHECK(spec.parameters[1].kind == Kind::integer);
  TrialJob job;
  job.values = {{"lr", 0.02}, {"layers", 3}, {"optimizer", "adam"}};
  const Json manifest = TrialTemplate(spec).manifest(job);
  CHECK(manifest["spec"]["template"]["spec"]["containers"][0]["command"] ==
        Json({"python3", "--lr=0.02", "--layers=3", "adam"}));
}

TEST_CASE("sweep spec: without maxTrialCount, a whole grid is tried, as by Katib, or 100 random points") {
  Json document = yaml_of(kExperiment);
  Json& spec = document["spec"];
  spec["algorithm"] = {{"algorithmName", "grid"}};
  Json values = Json::array();
  for (int i = 0; i < 120; ++i) values.push_back(std::to_string(i));
  spec["parameters"] = {
      {{"name", "lr"}, {"parameterType", "categorical"}, {"feasibleSpace", {{"list", values}}}}};
  spec["trialTemplate"]["trialParameters"] = {{{"name", "learningRate"}, {"reference", "lr"}}};
  spec["trialTemplate"]["trialSpec"]["spec"]["template"]["spec"]["containers"][0]["command"] = {
      "a", "${trialParameters.learningRate}"};
  CHECK(parse_sweep(document, "grid.yaml").budget.trials == 12);
  spec.erase("maxTrialCount");
  CHECK(parse_sweep(document, "grid.yaml").budget.trials == 120);
  spec["algorithm"] = {{"algorithmName", "random"}};
  CHECK(parse_sweep(document, "grid.yaml").budget.trials == 100);
}

TEST_CASE("sweep spec: additional metrics have Katib's strategies") {
  Json document = yaml_of(kExperiment);
  Json& objective = document["spec"]["objective"];
  objective["additionalMetricNames"] = {"acc", "f1", "time"};
  objective["metricStrategies"] = {{{"name", "acc"}, {"value", "max"}},
                                   {{"name", "f1"}, {"value", "latest"}}};
  const Objective read = parse_sweep(document, "a.yaml").objective;
  Progress progress;
  double step = 0;
  for (const double value : {0.2, 0.9, 0.1, 0.5}) {
    for (const char* metric : {"acc", "f1", "time"}) progress.add(read, metric, step, value);
    ++step;
  }
  CHECK(progress.metrics() == std::map<std::string, double>{{"acc", 0.9}, {"f1", 0.5}, {"time", 0.1}});
  objective["metricStrategies"][0]["value"] = "mean";
  CHECK(paths_of(document) == std::vector<std::string>{"spec.objective.metricStrategies"});
}

TEST_CASE("sweep spec: problems are reported together, each with its path") {
  Json document = yaml_of(kExperiment);
  document["spec"]["algorithm"]["algorithmName"] = "annealing";
  document["spec"]["parameters"][0]["feasibleSpace"]["min"] = "much";
  document["spec"]["paralelTrialCount"] = 3;
  document["spec"]["metricsCollectorSpec"]["collector"]["kind"] = "PrometheusMetric";
  document["spec"]["budget"] = {{"gpuHours", 3}};  // Katib has no such field
  const std::vector<std::string> paths = paths_of(document);
  for (const char* path :
       {"spec.algorithm.algorithmName", "spec.parameters[0].feasibleSpace.min", "spec.paralelTrialCount",
        "spec.metricsCollectorSpec.collector.kind", "spec.budget"}) {
    CAPTURE(path);
    CHECK(std::find(paths.begin(), paths.end(), path) != paths.end());
  }
  CHECK(paths.size() == 5);  // there are no other problems
  CHECK(paths_of({{"kind", "Job"}}) == std::vector<std::string>{"kind"});
  document["spec"]["algorithm"]["algorithmName"] = "darts";
  CHECK(paths_of(document) == std::vector<std::string>{"spec"});  // the other problems are then ignored
}

TEST_CASE("sweep spec: if metrics are in the termination message, no log is read") {
  Json document = yaml_of(kExperiment);
  const Json file = {{"fileSystemPath", {{"path", "/dev/termination-log"}}}};
  document["spec"]["metricsCollectorSpec"] = {{"collector", {{"kind", "File"}}}, {"source", file}};
  CHECK(parse_sweep(document, "random.yaml").collector.reads_message);
  CHECK(parse_sweep(document, "random.yaml").collector.path.empty());
  document["spec"]["metricsCollectorSpec"] = {{"collector", {{"kind", "TerminationMessage"}}}};
  CHECK(paths_of(document) ==
        std::vector<std::string>{"spec.metricsCollectorSpec.collector.kind"});  // Katib has no such collector
  document["apiVersion"] = "kml.dev/v1";
  document["kind"] = "Sweep";
  CHECK(parse_sweep(document, "sweep.yaml").collector.reads_message);
}

TEST_CASE("sweep spec: a value given twice in one file must be the same both times") {
  Json document = sweep_of(kExperiment);
  document["spec"]["budget"] = {{"trials", 12}, {"target", 0.001}};
  CHECK(paths_of(document).empty());
  document["spec"]["budget"] = {{"trials", 2}, {"target", 0.5}};
  CHECK(paths_of(document) == std::vector<std::string>{"spec.budget.trials", "spec.budget.target"});
}

TEST_CASE("sweep spec: a number too large for an int is rejected with its path") {
  constexpr long long kMore = 4'294'967'297;
  Json document = sweep_of(kExperiment);
  Json& spec = document["spec"];
  spec["parallelTrialCount"] = spec["maxFailedTrialCount"] = spec["retry"]["failures"] = kMore;
  CHECK(paths_of(document) == std::vector<std::string>{"spec.parallelTrialCount", "spec.maxFailedTrialCount",
                                                       "spec.retry.failures"});
  for (const char* name : {"n_startup_trials", "n_initial_points"}) {
    document = sweep_of(kExperiment);
    document["spec"]["algorithm"]["algorithmSettings"] = {{{"name", name}, {"value", std::to_string(kMore)}}};
    CHECK(paths_of(document) ==
          std::vector<std::string>{std::string("spec.algorithm.algorithmSettings.") + name});
  }
  document = sweep_of(kExperiment);
  document["spec"]["earlyStopping"] = {
      {"algorithmName", "median"},
      {"algorithmSettings", {{{"name", "min_trials_required"}, {"value", std::to_string(kMore)}}}}};
  CHECK(paths_of(document) ==
        std::vector<std::string>{"spec.earlyStopping.algorithmSettings.min_trials_required"});
  document = sweep_of(kExperiment);
  document["spec"]["maxTrialCount"] = kMore;
  CHECK(paths_of(document).empty());
}

TEST_CASE("sweep spec: the settings of Katib's manual are accepted, and others are not") {
  for (const char* name :
       {"random_state", "n_EI_candidates", "n_ei_candidates", "gamma", "prior_weight", "n_startup_trials",
        "n_initial_points", "base_estimator", "acq_func", "acq_optimizer", "restart_strategy", "sigma"}) {
    CAPTURE(name);
    Json document = sweep_of(kExperiment);
    Json& algorithm = document["spec"]["algorithm"];
    algorithm = {{"algorithmName", "tpe"}, {"algorithmSettings", {{{"name", name}, {"value", "1"}}}}};
    CHECK(paths_of(document).empty());
    const bool has_effect = std::string_view(name).starts_with("n_startup") ||
                            std::string_view(name).starts_with("n_initial") ||
                            std::string_view(name) == "random_state";
    CHECK(note_on_unused_settings(document) ==
          (has_effect ? "" : std::string("settings of the algorithm that have no effect in kml: ") + name));
    algorithm["algorithmSettings"][0]["name"] = std::string(name) + "_";
    CHECK(paths_of(document).size() == 1);
  }
}

TEST_CASE("sweep spec: each setting of an algorithm needs a name") {
  Json document = yaml_of(kExperiment);
  for (const Json& setting : {Json("foo"), Json{{"value", 3}}}) {
    document["spec"]["algorithm"]["algorithmSettings"] = {{{"name", "seed"}, {"value", "3"}}, setting};
    CHECK(paths_of(document) == std::vector<std::string>{"spec.algorithm.algorithmSettings[1]"});
  }
}

TEST_CASE("sweep spec: invalid names, budgets, constraints and filters are rejected when the spec is read") {
  const Json good = sweep_of(kExperiment);
  using Paths = std::vector<std::string>;
  for (const char* name : {"B_1", "my sweep", "-x", "a234567890a234567890a234567890a234567890a23456789"}) {
    Json document = good;
    document["metadata"]["name"] = name;
    CAPTURE(name);
    CHECK(paths_of(document) == Paths{"metadata.name"});
  }
  const auto with = [&](const char* pointer, Json value) {
    Json document = good;
    document[Json::json_pointer(pointer)] = std::move(value);
    return paths_of(document);
  };
  CHECK(with("/spec/budget", {{"gpuHours", -1}, {"wallTime", "0s"}}) ==
        Paths{"spec.budget.wallTime", "spec.budget.gpuHours"});
  CHECK(with("/spec/constraints", {"layers > 5"}) == Paths{"spec.constraints"});
  CHECK(with("/spec/constraints", {"layers >= 5", "lr < 0.02"}).empty());
  CHECK(with("/spec/deterministic", true).empty());
  Json early = good;
  early["spec"].update({{"deterministic", true}, {"earlyStopping", {{"algorithmName", "median"}}}});
  early["spec"]["fidelity"] = {{"metric", "epoch"}, {"max", 27}};
  CHECK(paths_of(early) == Paths{"spec.deterministic"});
  const char* filters = "/spec/metricsCollectorSpec/source/filter/metricsFormat";
  CHECK(with(filters, {"([\\w|-]+)\\s*=\\s*([+-]?\\d*(\\.\\d+)?([Ee][+-]?\\d+)?)"}).empty());
  CHECK(with(filters, {"{metricName: ([\\w|-]+), metricValue: ((-?\\d+)(\\.\\d+)?)}"})
            .empty());  // Katib's example
  for (const std::string& filter : {std::string("(a"), std::string("loss=(.*)"), std::string(2000, '(')})
    CHECK(with(filters, {"(.*)=(.*)", filter}) ==
          Paths{"spec.metricsCollectorSpec.source.filter.metricsFormat[1]"});
}

TEST_CASE("sweep spec: the primary container and the primary pods of a Katib Experiment must exist") {
  Json document = yaml_of(kExperiment);
  Json& trial = document["spec"]["trialTemplate"];
  trial["primaryPodLabels"] = {{"job-name", "x"}};
  CHECK(paths_of(document).empty());
  trial["primaryPodLabels"] = {{"role", "main"}};
  CHECK(paths_of(document) == std::vector<std::string>{"spec.trialTemplate.primaryPodLabels"});
  trial["trialSpec"]["spec"]["template"]["metadata"]["labels"]["role"] = "side";
  CHECK(paths_of(document) == std::vector<std::string>{"spec.trialTemplate.primaryPodLabels"});
  trial["trialSpec"]["spec"]["template"]["metadata"]["labels"]["role"] = "main";
  CHECK(paths_of(document).empty());
  trial["primaryContainerName"] = "nope";
  CHECK(paths_of(document) == std::vector<std::string>{"spec.trialTemplate.primaryContainerName"});
}

TEST_CASE("sweep spec: rungs are whole numbers by default") {
  Json document = sweep_of(kExperiment);
  document["spec"]["earlyStopping"]["algorithmName"] = "asha";
  document["spec"]["fidelity"] = {{"metric", "epoch"}, {"max", 27}};
  const Stopping stopping = parse_sweep(document, "test").stopping;
  CHECK(rungs({.min = stopping.min, .max = stopping.max, .eta = stopping.eta}) ==
        std::vector<double>{2, 8, 27});
  document["spec"]["fidelity"]["min"] = 0;
  CHECK(paths_of(document) == std::vector<std::string>{"spec.fidelity.min"});
  document["spec"]["fidelity"]["min"] = 28;
  CHECK(paths_of(document) == std::vector<std::string>{"spec.fidelity.min"});
}

TEST_CASE("sweep spec: too many rungs are rejected") {
  Json document = sweep_of(kExperiment);
  document["spec"]["fidelity"] = {{"metric", "epoch"}, {"min", 1}, {"max", 1000}, {"eta", 1.05}};
  document["spec"]["earlyStopping"] = {{"algorithmName", "asha"}};
  CHECK(paths_of(document) == std::vector<std::string>{"spec.fidelity.eta"});
  document["spec"]["fidelity"]["eta"] = 2;
  CHECK(paths_of(document).empty());
}

TEST_CASE("sweep spec: median cannot be combined with promote") {
  Json document = sweep_of(kExperiment);
  document["spec"]["checkpointDir"] = "/checkpoints";
  document["spec"]["earlyStopping"] = {{"algorithmName", "median"}};
  CHECK(paths_of(document).empty());
  document["spec"]["earlyStopping"]["mode"] = "promote";
  CHECK(paths_of(document) == std::vector<std::string>{"spec.earlyStopping.mode"});
  document["spec"]["fidelity"] = {{"metric", "epoch"}, {"max", 27}};
  CHECK(paths_of(document) == std::vector<std::string>{"spec.earlyStopping.mode"});
}

TEST_CASE("sweep spec: parameters are read from the command line") {
  CHECK(parameter_of_flag("lr=log:1e-4..1e-1") ==
        Json{{"name", "lr"},
             {"parameterType", "double"},
             {"feasibleSpace", {{"min", 1e-4}, {"max", 0.1}, {"distribution", "logUniform"}}}});
  CHECK(parameter_of_flag("layers=1..8")["parameterType"] == "int");
  CHECK(parameter_of_flag("drop=0..0.5/0.1")["feasibleSpace"]["step"] == 0.1);
  CHECK(parameter_of_flag("drop=0..0.5/0.1")["parameterType"] == "double");
  CHECK(parameter_of_flag("width=int:log:16..1024")["feasibleSpace"]["distribution"] == "logUniform");
  CHECK(parameter_of_flag("batch=32,64")["parameterType"] == "discrete");
  CHECK(parameter_of_flag("opt=adam,sgd")["parameterType"] == "categorical");
  CHECK(parameter_of_flag("path=a..b,c")["feasibleSpace"]["list"] == Json({"a..b", "c"}));
  CHECK(parameter_of_flag("image=repo:1,repo:2")["feasibleSpace"]["list"] == Json({"repo:1", "repo:2"}));
  CHECK(parameter_of_flag("aspect=16:9,4:3")["parameterType"] == "categorical");
  CHECK(parameter_of_flag("n=1-64")["parameterType"] == "categorical");
  for (const char* wrong :
       {"lr", "lr=", "=1..2", "lr=a..b", "lr=1..", "opt=a,,b", "lr=log:1e-4:1e-1", "lr=1e-4:1e-1",
        "n=[1,2,3]", "n=(1,2)", "n=choice:a,b", "lr=log:1e-4,1e-1", "n=int:3", "lr=uniform:0..1,2"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parameter_of_flag(wrong), Error);
  }
}

TEST_CASE("sweep spec: values on the command line stay texts if a trial would get different numbers") {
  const auto type = [](const Json& parameter) { return string_at(parameter, {"parameterType"}); };
  for (const char* texts : {"3.9,3.10", "007,8", "1,+2", ".5,1", "0.50,0.9", "1,99999999999999999999"}) {
    CAPTURE(texts);
    const Json parameter = parameter_of_flag(std::string("x=") + texts);
    CHECK(type(parameter) == "categorical");
    CHECK(parameter["feasibleSpace"]["list"].size() == 2);
    CHECK(parameter["feasibleSpace"]["list"][0].is_string());
  }
  const Json numbers = parameter_of_flag("x=32,1.0,-0.25,1e-4,1e3");
  CHECK(type(numbers) == "discrete");
  CHECK(numbers["feasibleSpace"]["list"].dump() == "[32,1.0,-0.25,0.0001,1000]");
  CHECK(type(parameter_of_flag("lr=0.00001,0.0001")) == "discrete");
  CHECK(note_on_parameter_flag("py=3.9,3.10") ==
        "py is treated as a string: as a number, 3.10 would become 3.1");
  CHECK(note_on_parameter_flag("py=3.9,3.x").empty());
}

TEST_CASE(
    "sweep spec: a range from 0 to 1, both whole numbers, gets a note that says how to write all values "
    "between") {
  CHECK(note_on_parameter_flag("lr=0..1") ==
        "lr is 0 or 1, a whole number; for all values between, write 0.0..1.0");
  for (const char* clear : {"lr=0.0..1.0", "lr=int:0..1", "n=0..2", "n=0,1", "lr=log:1e-4..1e-1"}) {
    CAPTURE(clear);
    CHECK(note_on_parameter_flag(clear).empty());
  }
}

TEST_CASE("sweep spec: a trial gets the numbers of Katib's lists as they are written") {
  Json experiment = yaml_of(kExperiment);
  experiment["spec"]["parameters"][0] = {
      {"name", "lr"},
      {"parameterType", "discrete"},
      {"feasibleSpace", {{"list", {"1e2", "0.50", "08", "7", "-0.25", "1e300", "5"}}}}};
  const SweepSpec spec = parse_sweep(experiment, "exp.yaml");
  CHECK(Json(spec.parameters[0].choices).dump() == R"([-0.25,"0.50",5,7,"08","1e2","1e300"])");
}

TEST_CASE("sweep spec: a trial may only contain parameters that trialParameters defines") {
  Json experiment = yaml_of(kExperiment);
  experiment["spec"]["trialTemplate"]["trialSpec"]["metadata"]["labels"]["x"] = "${trialParameters.nosuch}";
  try {
    parse_sweep(experiment, "exp.yaml");
    FAIL("it was taken");
  } catch (const Error& error) {
    CHECK(describe(error.problems.at(0)).find("${trialParameters.nosuch}, which trialParameters does not") !=
          std::string::npos);
  }
}

TEST_CASE("sweep spec: a budget may change on resume, the space may not") {
  const Json before = yaml_of(kExperiment);
  Json after = before;
  after["spec"]["maxTrialCount"] = 100;
  after["spec"]["objective"]["goal"] = 0.1;
  CHECK(changed_space(before, after).empty());
  after["spec"]["parameters"][0]["feasibleSpace"]["min"] = "0.001";
  CHECK(changed_space(before, after) == std::vector<std::string>{"spec.parameters"});
  after = before;
  after["spec"]["retry"] = {{"failures", 2}};
  after["spec"]["parallelTrialCount"] = 9;
  after["spec"]["budget"] = {{"gpuHours", 2}};
  CHECK(changed_space(before, after).empty());
}

TEST_CASE("sweep spec: the checkpoint folder and the metrics collector may not change on resume") {
  const Json before = sweep_of(kExperiment);
  Json after = before;
  after["spec"]["metricsCollectorSpec"]["source"]["filter"]["metricsFormat"] = {R"((\w+)\|(.+))"};
  after["spec"]["checkpointDir"] = "/elsewhere";
  CHECK(changed_space(before, after) ==
        std::vector<std::string>{"spec.metricsCollectorSpec", "spec.checkpointDir"});
  CHECK(changed_space(before, yaml_of(kExperiment)) == std::vector<std::string>{"kind"});
}

}  // namespace kml::sweep::sweep_spec_test
