#include <doctest/doctest.h>

#include "kml/base/error.h"
#include "kml/pipeline/language/pipeline.h"
#include "pipeline/compiled_text.h"
#include "pipeline/file/parse_pipeline.h"
#include "pipeline/kfp/program.h"

namespace kml::pipeline::kfp_texts_test {

TEST_CASE("kfp: a condition compares with the text as it is in the file") {
  const std::string text = compiled(
      "      c: {componentRef: {name: comp-say}, inputs: {parameters: {text: " + constant("1e3") +
          ", x: {componentInputParameter: name}}}, triggerPolicy: {condition: "
          "\"inputs.parameter_values['x'] == '1e3'\"}}\n",
      "", "", "  inputDefinitions: {parameters: {name: {parameterType: STRING, defaultValue: 1e3}}}\n");
  const Pipeline read = parse_pipeline(text, "p.yaml");
  CHECK(parameter_values(read, {})["name"] == "1e3");
  CHECK(read.find("c")->when->text() == "params.name == '1e3'");
}

TEST_CASE("kfp: words of commands and values of variables are texts, even if they look like numbers") {
  const Pipeline pipeline = parse_pipeline(
      compiled("      a: {componentRef: {name: comp-a}}\n", "  comp-a: {executorLabel: exec-a}\n",
               "    exec-a: {container: {command: [run, 1e3, 0.10], args: [yes, 08, 1_000], env: [{name: A, "
               "value: 1.50}]}}\n"),
      "p.yaml");
  CHECK(pipeline.steps[0].program->command({}, Where::here) ==
        std::vector<std::string>{"run", "1e3", "0.10", "yes", "08", "1_000"});
  CHECK(pipeline.steps[0].settings.find("env")->find("A")->text == "1.50");
}

TEST_CASE("kfp: -p accepts 3.0 as a whole number, as Kubeflow Pipelines does") {
  const Pipeline read = parse_pipeline(compiled(say("a", constant("x")), "", "", kParameters), "p.yaml");
  for (const char* three : {"n=3", "n=3.0"})
    CHECK(parameter_values(read, {"name=x", three})["n"].dump() == "3");
  CHECK_THROWS_AS(parameter_values(read, {"name=x", "n=3.5"}), const Error&);
}

TEST_CASE("kfp: placeholders in texts refer to other inputs, which are inserted unchanged") {
  const std::string text = compiled(
      say("a", constant("x")) + "      b: {componentRef: {name: comp-say}, inputs: {parameters: {text: " +
      constant("\"<{{$.inputs.parameters['channel']}}> {{$.pipeline_job_name}}\"") +
      ", channel: " + output_of("a") + "}}}\n");
  const Pipeline pipeline = parse_pipeline(text, "p.yaml");
  const Step& step = *pipeline.find("b");
  REQUIRE(step.inputs.size() == 1);
  const render::Scope scope{
      {"inputs", {{step.inputs[0].name, {{"value", "{{$.inputs.parameters['text']}}"}}}}},
      {"run", {{"name", "r-1"}}}};
  CHECK(executor_input(step, scope)["inputs"]["parameterValues"]["text"] ==
        "<{{$.inputs.parameters['text']}}> r-1");
}

TEST_CASE("kfp: the URI of a local file may have several forms") {
  for (const char* uri :
       {"/data/a b.csv", "file:///data/a%20b.csv", "file:/data/a%20b.csv", "file://localhost/data/a%20b.csv"})
    CHECK(kfp::file_of_uri(uri, "/home") == "/data/a b.csv");
  for (const char* uri : {"data/a.csv", "file://data/a.csv", "./data/../data/a.csv"})
    CHECK(kfp::file_of_uri(uri, "/home") == "/home/data/a.csv");
  for (const char* uri : {"gs://b/a.csv", "https://h/a.csv"})
    CHECK_THROWS_AS(kfp::file_of_uri(uri, "/home"), const Error&);
}

TEST_CASE("kfp: a text with a constant input and the run's name gets both") {
  const Pipeline pipeline =
      parse_pipeline(compiled("      b: {componentRef: {name: comp-say}, inputs: {parameters: {text: " +
                              constant("\"<{{$.inputs.parameters['channel']}}> {{$.pipeline_job_name}}\"") +
                              ", channel: " + constant("ops") + "}}}\n"),
                     "p.yaml");
  const render::Scope scope{{"run", {{"name", "r-1"}}}};
  CHECK(executor_input(*pipeline.find("b"), scope)["inputs"]["parameterValues"]["text"] == "<ops> r-1");
}

}  // namespace kml::pipeline::kfp_texts_test
