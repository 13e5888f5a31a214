#include "kml/sweep/spec/sweep_spec.h"

#include <doctest/doctest.h>

#include "kml/base/yaml.h"
#include "kml/sweep/spec/trial_template.h"
#include "kml/sweep/stopping/stopping.h"

namespace kml::sweep::sweep_spec_test {

namespace {

Json yaml_of(const char* text) {
  return yaml::to_json(yaml::parse_one(text, "test"), "test");
}

std::vector<std::string> paths_of(const Json& document) {
  try {
    parse_sweep(document, "test");
  } catch (const Error& error) {
    CHECK(error.code == ErrorCode::usage);
    std::vector<std::string> paths;
    for (const Problem& problem : error.problems) paths.push_back(problem.path);
    return paths;
  }
  return {};
}

// In the form of Katib's example of random search, but with a Job.
constexpr const char* kExperiment = R"(
apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {namespace: kubeflow, name: random}
spec:
  objective:
    type: minimize
    goal: 0.001
    objectiveMetricName: loss
    additionalMetricNames: [Train-accuracy]
  algorithm:
    algorithmName: random
  parallelTrialCount: 3
  maxTrialCount: 12
  maxFailedTrialCount: 3
  resumePolicy: Never
  parameters:
    - name: lr
      parameterType: double
      feasibleSpace: {min: "0.01", max: "0.05"}
    - name: layers
      parameterType: int
      feasibleSpace: {min: "2", max: "5"}
    - name: optimizer
      parameterType: categorical
      feasibleSpace: {list: [sgd, adam, ftrl]}
  metricsCollectorSpec: {collector: {kind: StdOut}}
  trialTemplate:
    primaryContainerName: training-container
    trialParameters:
      - {name: learningRate, description: Learning rate, reference: lr}
      - {name: numberLayers, reference: layers}
      - {name: optimizer, reference: optimizer}
    trialSpec:
      apiVersion: batch/v1
      kind: Job
      spec:
        template:
          spec:
            restartPolicy: Never
            containers:
              - name: training-container
                image: mnist:1
                command:
                  - python3
                  - --lr=${trialParameters.learningRate}
                  - --layers=${trialParameters.numberLayers}
                  - ${trialParameters.optimizer}
)";

/// The same sweep in kml's own format.
Json sweep_of(const char* text) {
  Json document = yaml_of(text);
  document["apiVersion"] = "kml.dev/v1";
  document["kind"] = "Sweep";
  return document;
}

}  // namespace

TEST_CASE("sweep spec: an Experiment of Katib is taken as it is") {
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

TEST_CASE("sweep spec: every problem is told with its path") {
  Json document = yaml_of(kExperiment);
  document["spec"]["algorithm"]["algorithmName"] = "annealing";
  document["spec"]["parameters"][0]["feasibleSpace"]["min"] = "much";
  document["spec"]["paralelTrialCount"] = 3;
  document["spec"]["metricsCollectorSpec"]["collector"]["kind"] = "PrometheusMetric";
  document["spec"]["budget"] = {{"gpuHours", 3}};  // not a field of Katib
  const std::vector<std::string> paths = paths_of(document);
  for (const char* path :
       {"spec.algorithm.algorithmName", "spec.parameters[0].feasibleSpace.min", "spec.paralelTrialCount",
        "spec.metricsCollectorSpec.collector.kind", "spec.budget"}) {
    CAPTURE(path);
    CHECK(std::find(paths.begin(), paths.end(), path) != paths.end());
  }
  CHECK(paths.size() == 5);  // and no false problem besides
  CHECK(paths_of({{"kind", "Job"}}) == std::vector<std::string>{"kind"});
  document["spec"]["algorithm"]["algorithmName"] = "darts";
  CHECK(paths_of(document) == std::vector<std::string>{"spec"});  // the rest does not matter then
}

TEST_CASE("sweep spec: where metrics are in the termination message, no log is read") {
  Json document = yaml_of(kExperiment);
  const Json file = {{"fileSystemPath", {{"path", "/dev/termination-log"}}}};
  document["spec"]["metricsCollectorSpec"] = {{"collector", {{"kind", "File"}}}, {"source", file}};
  CHECK(parse_sweep(document, "random.yaml").collector.reads_message);
  CHECK(parse_sweep(document, "random.yaml").collector.path.empty());
  document["spec"]["metricsCollectorSpec"] = {{"collector", {{"kind", "TerminationMessage"}}}};
  CHECK(paths_of(document) ==
        std::vector<std::string>{"spec.metricsCollectorSpec.collector.kind"});  // not a collector of Katib
  document["apiVersion"] = "kml.dev/v1";
  document["kind"] = "Sweep";
  CHECK(parse_sweep(document, "sweep.yaml").collector.reads_message);
}

TEST_CASE("sweep spec: what one file says twice has to agree") {
  Json document = sweep_of(kExperiment);
  document["spec"]["budget"] = {{"trials", 12}, {"target", 0.001}};
  CHECK(paths_of(document).empty());
  document["spec"]["budget"] = {{"trials", 2}, {"target", 0.5}};
  CHECK(paths_of(document) == std::vector<std::string>{"spec.budget.trials", "spec.budget.target"});
}

TEST_CASE("sweep spec: a count that no int holds is refused by its path") {
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

TEST_CASE("sweep spec: settings of an algorithm have names") {
  Json document = yaml_of(kExperiment);
  for (const Json& setting : {Json("foo"), Json{{"value", 3}}}) {
    document["spec"]["algorithm"]["algorithmSettings"] = {{{"name", "seed"}, {"value", "3"}}, setting};
    CHECK(paths_of(document) == std::vector<std::string>{"spec.algorithm.algorithmSettings[1]"});
  }
}

TEST_CASE("sweep spec: what would fail when trials are made is refused when it is read") {
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

TEST_CASE("sweep spec: rungs are whole numbers where none is given") {
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

TEST_CASE("sweep spec: a ladder of countless rungs is refused") {
  Json document = sweep_of(kExperiment);
  document["spec"]["fidelity"] = {{"metric", "epoch"}, {"min", 1}, {"max", 1000}, {"eta", 1.05}};
  document["spec"]["earlyStopping"] = {{"algorithmName", "asha"}};
  CHECK(paths_of(document) == std::vector<std::string>{"spec.fidelity.eta"});
  document["spec"]["fidelity"]["eta"] = 2;
  CHECK(paths_of(document).empty());
}

TEST_CASE("sweep spec: the median promotes no trials") {
  Json document = sweep_of(kExperiment);
  document["spec"]["checkpointDir"] = "/checkpoints";
  document["spec"]["earlyStopping"] = {{"algorithmName", "median"}};
  CHECK(paths_of(document).empty());
  document["spec"]["earlyStopping"]["mode"] = "promote";
  CHECK(paths_of(document) == std::vector<std::string>{"spec.earlyStopping.mode"});
  document["spec"]["fidelity"] = {{"metric", "epoch"}, {"max", 27}};
  CHECK(paths_of(document) == std::vector<std::string>{"spec.earlyStopping.mode"});
}

TEST_CASE("sweep spec: parameters of the command line") {
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

TEST_CASE("sweep spec: values of the command line come to the trial as they are written") {
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
        "py is treated as a string, because as a number 3.10 would become 3.1");
  CHECK(note_on_parameter_flag("py=3.9,3.x").empty());
}

TEST_CASE("sweep spec: a range with two whole values may be meant for all between") {
  CHECK(note_on_parameter_flag("lr=0..1") ==
        "lr is 0 or 1, a whole number; for all values between, write 0.0..1.0");
  for (const char* clear : {"lr=0.0..1.0", "lr=int:0..1", "n=0..2", "n=0,1", "lr=log:1e-4..1e-1"}) {
    CAPTURE(clear);
    CHECK(note_on_parameter_flag(clear).empty());
  }
}

TEST_CASE("trial template: words that are nearly a hole's name are told") {
  SweepSpec spec;
  spec.parameters = {{.name = "batch", .high = 1}, {.name = "rate", .high = 1}};
  spec.trial = {
      {"command", {"--b={bathc} {rate}", "{arg} ${bathc} {bathc} {\"rat\": 1} {print $1} {other}"}}};
  CHECK(holes_nearly_met(spec) ==
        std::vector<std::string>{
            "{arg} is not a parameter, so it is left unchanged; did you mean \"args\"?",
            "{bathc} is not a parameter, so it is left unchanged; did you mean \"batch\"?"});
  spec.trial = {{"command", {"sh", "-c", "rate=5; echo ${rate} {rate} ${other}"}}};
  CHECK(holes_nearly_met(spec) ==
        std::vector<std::string>{"${rate} is left to the shell; for the sweep's value, write {rate}"});
}

TEST_CASE("trial template: fills its holes and nothing else") {
  SweepSpec spec;
  spec.parameters = {{.name = "lr", .high = 1},
                     {.name = "name", .kind = Kind::categorical, .choices = {"it's", "b"}}};
  spec.trial = {
      {"command", {"python", "train.py", "{args}", "--out=/out/{trial}", "awk '{print $1}'", "{\"a\": 1}"}},
      {"shell", "python train.py {args} && echo {lr} {lrs}"},
      {"spec", {{"replicas", "{lr}"}, {"env", {{{"name", "LR"}, {"value", "{lr}"}}}}}}};
  TrialJob job;
  job.trial = 7;
  job.values = {{"lr", 0.5}, {"name", "it's"}};
  const Json manifest = TrialTemplate(spec).manifest(job);
  CHECK(manifest["command"] == Json({"python", "train.py", "--lr=0.5", "--name=it's", "--out=/out/7",
                                     "awk '{print $1}'", "{\"a\": 1}"}));
  CHECK(manifest["shell"] == "python train.py --lr=0.5 '--name=it'\\''s' && echo 0.5 {lrs}");
  CHECK(manifest["spec"]["replicas"] == 0.5);
  CHECK(manifest["spec"]["env"][0]["value"] == "0.5");
}

TEST_CASE("trial template: a shell's variable is left to it, whatever it is called") {
  SweepSpec spec;
  spec.parameters = {{.name = "lr", .high = 1}};
  spec.trial = {{"command", {"sh", "-c", "lr=5; echo ${lr} $lr ${args} {lr}", "{args}"}}};
  const Json words = TrialTemplate(spec).manifest({.name = "", .values = {{"lr", 0.5}}})["command"];
  CHECK(words == Json({"sh", "-c", "lr=5; echo ${lr} $lr ${args} 0.5", "--lr=0.5"}));
}

TEST_CASE("trial template: Katib's references to the trial itself are filled in") {
  SweepSpec spec;
  spec.parameters = {{.name = "lr", .high = 1}};
  const auto filled = [&](const std::string& reference) {
    spec.trial_parameters = {{"of", reference}, {"rate", "lr"}};
    spec.trial = {
        {"apiVersion", "batch/v1"},
        {"kind", "Job"},
        {"metadata", {{"namespace", "team"}, {"labels", {{"a/b", "c"}}}, {"annotations", {{"d", "e"}}}}},
        {"command", {"--rate=${trialParameters.rate}", "--out=/out/${trialParameters.of}"}}};
    TrialJob job;
    job.name = "s-t00007-r0-a0";
    job.values = {{"lr", 0.5}};
    const Json command = TrialTemplate(spec).manifest(job)["command"];
    CHECK(command[0] == "--rate=0.5");
    return command[1].get<std::string>();
  };
  CHECK(filled("${trialSpec.Name}") == "--out=/out/s-t00007-r0-a0");
  CHECK(filled("${trialSpec.Namespace}") == "--out=/out/team");
  CHECK(filled("${trialSpec.Kind}") == "--out=/out/Job");
  CHECK(filled("${trialSpec.APIVersion}") == "--out=/out/batch/v1");
  CHECK(filled("${trialSpec.Labels[a/b]}") == "--out=/out/c");
  CHECK(filled("${trialSpec.Annotations[d]}") == "--out=/out/e");
}

TEST_CASE("sweep spec: a reference to what the trial has not is refused") {
  Json document = sweep_of(kExperiment);
  Json& references = document["spec"]["trialTemplate"]["trialParameters"];
  references.push_back({{"name", "of"}, {"reference", "${trialSpec.Name}"}});
  CHECK(paths_of(document).empty());
  for (const char* unknown : {"${trialSpec.Uid}", "${trialSpec.Labels[none]}", "nothing"}) {
    references.back()["reference"] = unknown;
    CAPTURE(unknown);
    CHECK(paths_of(document) == std::vector<std::string>{"spec.trialTemplate.trialParameters"});
  }
}

TEST_CASE("trial template: a parameter that is nowhere is a mistake") {
  SweepSpec spec;
  spec.parameters = {{.name = "lr", .high = 1}, {.name = "wd", .high = 1}};
  spec.trial = {{"command", {"python", "--lr={lr}"}}};
  try {
    TrialTemplate wrong(spec);
    FAIL("it was taken");
  } catch (const Error& error) {
    REQUIRE(error.problems.size() == 1);
    CHECK(error.problems[0].path == "wd");
  }
}

TEST_CASE("trial template: a trial that is promoted is told how far to run") {
  SweepSpec spec;
  spec.parameters = {{.name = "lr", .high = 1}};
  spec.stopping = {.rule = StopRule::asha, .resource = "epoch", .max = 27, .promote = true};
  TrialJob job;
  job.until = 3;
  const auto last_word = [&](const char* word) {
    spec.trial = {{"command", {"python", "{args}", word}}};
    return TrialTemplate(spec).manifest(job)["command"].back().get<std::string>();
  };
  CHECK(last_word("--n={until}") == "--n=3");
  CHECK(last_word("--n={epoch}") == "--n=3");
  CHECK_THROWS_AS(last_word("--n=27"), Error);
  CHECK_THROWS_AS(last_word("--n={epochs}"), Error);
  spec.parameters.push_back({.name = "epoch", .high = 1});  // the parameter takes precedence
  CHECK_THROWS_AS(last_word("--n={epoch}"), Error);
  spec.parameters.pop_back();
  spec.trial_parameters = {{"budget", "epoch"}};  // Katib's hyperband
  CHECK(last_word("--n=${trialParameters.budget}") == "--n=3");
  spec.stopping.promote = false;
  spec.trial = {{"command", {"python", "{args}"}}};
  CHECK_NOTHROW(TrialTemplate{spec});
}

TEST_CASE("sweep spec: a budget may change on a resume, the space may not") {
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

TEST_CASE("sweep spec: where checkpoints are, and how values are read, stays on a resume") {
  const Json before = sweep_of(kExperiment);
  Json after = before;
  after["spec"]["metricsCollectorSpec"]["source"]["filter"]["metricsFormat"] = {R"((\w+)\|(.+))"};
  after["spec"]["checkpointDir"] = "/elsewhere";
  CHECK(changed_space(before, after) ==
        std::vector<std::string>{"spec.metricsCollectorSpec", "spec.checkpointDir"});
  CHECK(changed_space(before, yaml_of(kExperiment)) == std::vector<std::string>{"kind"});
}

}  // namespace kml::sweep::sweep_spec_test
