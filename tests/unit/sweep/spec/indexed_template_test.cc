#include "sweep/spec/indexed_template.h"

#include <doctest/doctest.h>

#include <set>

namespace kml::sweep::indexed_template_test {

namespace {

Json document_of(const Json& container, const Json& more = Json::object()) {
  Json spec = {
      {"objective", {{"type", "minimize"}, {"objectiveMetricName", "loss"}}},
      {"algorithm", {{"algorithmName", "random"}}},
      {"fanOut", "indexed"},
      {"parameters", Json::array({{{"name", "opt"},
                                   {"parameterType", "categorical"},
                                   {"feasibleSpace", {{"list", {"adam", "it's a $HOME"}}}}},
                                  {{"name", "momentum"},
                                   {"parameterType", "double"},
                                   {"feasibleSpace", {{"min", 0}, {"max", 1}}},
                                   {"condition", {{"parameter", "opt"}, {"values", {"adam"}}}}}})},
      {"trialTemplate",
       {{"trialSpec",
         {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"spec",
           {{"template", {{"spec", {{"restartPolicy", "Never"}, {"containers", {container}}}}}}}}}}}}};
  spec.update(more);
  return {{"apiVersion", "kml.dev/v1"}, {"kind", "Sweep"}, {"metadata", {{"name", "s"}}}, {"spec", spec}};
}

std::set<std::string> refused_paths(const Json& document) {
  std::set<std::string> paths;
  try {
    parse_sweep(document, "test");
  } catch (const Error& error) {
    for (const Problem& problem : error.problems) paths.insert(problem.path);
  }
  return paths;
}

}  // namespace

TEST_CASE("indexed template: a placeholder only in the metrics file's path is filled, too") {
  const Json file = {{"collector", {{"kind", "File"}}},
                     {"source", {{"fileSystemPath", {{"path", "/tmp/metrics-{trial}"}}}}}};
  const SweepSpec spec = parse_sweep(
      document_of({{"name", "main"}, {"command", {"train", "{args}"}}}, {{"metricsCollectorSpec", file}}),
      "test");
  const IndexedTemplate indexed(spec);
  CHECK(indexed.line({.name = "", .trial = 8, .values = {{"opt", "adam"}, {"momentum", 0.5}}}) ==
        "kml_0=8 kml_1=adam kml_2=0.5 kml_3=8");
}

TEST_CASE("indexed template: has a script of references, and a line of quoted values for each trial") {
  const SweepSpec spec = parse_sweep(
      document_of({{"name", "main"},
                   {"command", {"train", "$(rm -rf /)", "'{opt}'", "{args}"}},
                   {"env", {{{"name", "OPT"}, {"value", "<{opt}>"}}, {{"name", "A"}, {"value", "b"}}}}}),
      "test");
  const IndexedTemplate indexed(spec);
  CHECK(indexed.line({.name = "", .trial = 7, .values = {{"opt", "it's a $HOME"}}}) ==
        R"(kml_0=7 kml_1='it'\''s a $HOME')");
  CHECK(indexed.line({.name = "", .trial = 8, .values = {{"opt", "adam"}, {"momentum", 0.5}}}) ==
        "kml_0=8 kml_1=adam kml_2=0.5");

  const Json job = indexed.wrapped(spec.trial, "/t", {"map0", "map1"}, 10);
  const Json& pod = job["spec"]["template"]["spec"];
  const Json& container = pod["containers"][0];
  const auto script = container["command"][2].get<std::string>();
  CHECK(script.find("exec \"${1}\" \"${2}\" \"${3}\"\"$kml_1\"\"${4}\" ${kml_1+\"${5}\"\"$kml_1\"}") !=
        std::string::npos);
  CHECK(script.find("rm") == std::string::npos);
  CHECK(container["args"] == Json{"train", "$(rm -rf /)", "'", "'", "--opt=", "--momentum=", "<", ">"});
  CHECK(container["env"] == Json::array({{{"name", "A"}, {"value", "b"}}}));
  CHECK(pod["volumes"][1]["configMap"]["name"] == "map1");
  CHECK(container["volumeMounts"][1]["mountPath"] == "/t/1");
}

TEST_CASE("indexed template: fields that cannot be in one Job are reported, each with its path") {
  const Json container = {{"name", "main"}, {"command", {"{args}"}}};
  const std::string pod = "spec.trialTemplate.trialSpec.spec.template.spec.";
  CHECK(refused_paths(document_of(container)).empty());
  CHECK(refused_paths(document_of(container, {{"algorithm", {{"algorithmName", "tpe"}}},
                                              {"budget", {{"wallTime", "1h"}, {"gpuHours", 3}}},
                                              {"maxTrialCount", 100'001}})) ==
        std::set<std::string>{"spec.algorithm.algorithmName", "spec.budget.wallTime", "spec.budget.gpuHours",
                              "spec.maxTrialCount"});
  CHECK(refused_paths(document_of({{"name", "main"}, {"image", "i:{opt}"}, {"command", {"{args}"}}})) ==
        std::set<std::string>{pod + "containers[0].image"});
  CHECK(refused_paths(document_of({{"name", "main"}, {"args", {"{args}"}}})) ==
        std::set<std::string>{pod + "containers[0].command"});
  CHECK(refused_paths(document_of(
            {{"name", "main"}, {"command", {"{args}"}}, {"env", {{{"name", "a.b"}, {"value", "{opt}"}}}}})) ==
        std::set<std::string>{pod + "containers[0].env"});

  Json document = document_of(container);
  Json& trial = document["spec"]["trialTemplate"]["trialSpec"];
  trial["spec"]["completions"] = 2;
  trial["spec"]["template"]["spec"]["restartPolicy"] = "OnFailure";
  CHECK(refused_paths(document) ==
        std::set<std::string>{"spec.trialTemplate.trialSpec.spec.completions", pod + "restartPolicy"});
  trial = {{"apiVersion", "kubeflow.org/v1"}, {"kind", "PyTorchJob"}, {"spec", {{"x", "{args}"}}}};
  CHECK(refused_paths(document) == std::set<std::string>{"spec.trialTemplate.trialSpec.kind"});
}

}  // namespace kml::sweep::indexed_template_test
