#include <doctest/doctest.h>

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/pipeline/language/pipeline.h"
#include "pipeline/compiled_text.h"
#include "pipeline/file/parse_pipeline.h"
#include "support/environment.h"
#include "support/temporary_folder.h"

namespace kml::pipeline::kfp_test {

std::vector<std::string> names_of(const Pipeline& pipeline) {
  std::vector<std::string> names;
  for (const Step& step : pipeline.steps) names.push_back(step.name);
  return names;
}

std::vector<std::string> problems_of(const std::string& text) {
  std::vector<std::string> texts;
  try {
    parse_pipeline(text, "p.yaml");
  } catch (const Error& error) {
    for (const Problem& problem : error.problems) texts.push_back(problem.path + ": " + problem.text);
  }
  return texts;
}

TEST_CASE("kfp: tasks become steps, each after the steps that it reads from") {
  const Pipeline pipeline =
      parse_pipeline(compiled(say("b", output_of("a")) + say("c", constant("x"), ", dependentTasks: [b]") +
                                  say("a", "{componentInputParameter: name}"),
                              "", "", kParameters),
                     "p.yaml");
  CHECK(pipeline.name == "my-pipeline");
  CHECK(names_of(pipeline) == std::vector<std::string>{"a", "b", "c"});
  CHECK(dependencies(*pipeline.find("c")) == std::vector<std::string>{"b"});
  CHECK(pipeline.find("b")->inputs[0].sources[0].text() == "a.Output");
  CHECK(pipeline.find("a")->is_cached);
  CHECK(parameter_values(pipeline, {"name=x"}) == Json({{"n", 3}, {"name", "x"}, {"items", {1, 2}}}));
  CHECK_THROWS_AS(parameter_values(pipeline, {}), const Error&);
  // As in kfp, a list is written in brackets.
  CHECK(parameter_values(pipeline, {"name=x", "items=[5]"})["items"] == Json({5}));
  for (const char* text : {"items=1", "items=a,b", "items="}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parameter_values(pipeline, {"name=x", text}), const Error&);
  }
}

TEST_CASE("kfp: a program gets its inputs and paths, and whole numbers stay whole") {
  const std::string text = compiled(
      "      c: {componentRef: {name: comp-count}}\n"
      "      d: {componentRef: {name: comp-count}, inputs: {parameters: {n: " +
          constant("4.0") + "}}}\n" + say("e", "{componentInputParameter: name}"),
      "", "", kParameters);
  const Pipeline pipeline = parse_pipeline(text, "p.yaml").for_values({{"name", "ana"}}, {});
  const render::Scope scope{{"out", {{"Output", "/o/Output"}, {"executor_output.json", "/o/e.json"}}}};
  const Json input = executor_input(*pipeline.find("c"), scope);
  CHECK(input["inputs"]["parameterValues"].dump() == R"({"n":7})");
  CHECK(input["outputs"]["parameters"]["Output"]["outputFile"] == "/o/Output");
  CHECK(input["outputs"]["outputFile"] == "/o/e.json");
  CHECK(executor_input(*pipeline.find("d"), scope)["inputs"]["parameterValues"].dump() == R"({"n":4})");
  CHECK(executor_input(*pipeline.find("e"), scope)["inputs"]["parameterValues"]["text"] == "ana");
  CHECK_FALSE(pipeline.find("c")->is_cached);
}

TEST_CASE("kfp: the declared type of a parameter decides what an unquoted scalar is") {
  struct Case {
    const char *type, *text, *json;
  };
  const Case table[] = {
      {"STRING", "1234e56", "\"1234e56\""},
      {"STRING", "1e3", "\"1e3\""},
      {"STRING", "007", "\"007\""},
      {"STRING", "0x1F", "\"0x1F\""},
      {"STRING", "1_000", "\"1_000\""},
      {"STRING", "1:30", "\"1:30\""},
      {"STRING", "1.50", "\"1.50\""},
      {"STRING", "3.0", "\"3.0\""},
      {"STRING", "yes", "\"yes\""},
      {"STRING", "True", "\"True\""},
      {"STRING", "2024-01-01", "\"2024-01-01\""},
      {"NUMBER_INTEGER", "3.0", "3"},
      {"NUMBER_INTEGER", "-1.0", "-1"},
      {"NUMBER_INTEGER", "9007199254740993", "9007199254740993"},
      {"NUMBER_INTEGER", "1.0e+3", "1000"},
      {"NUMBER_DOUBLE", "-0.0", "-0.0"},
      {"NUMBER_DOUBLE", "1.0e+300", "1e+300"},
      {"NUMBER_DOUBLE", "5e-324", "5e-324"},
      {"NUMBER_DOUBLE", "3", "3.0"},
      {"BOOLEAN", "true", "true"},
      {"LIST", "[1e3, 1.0, 0o17, '1', y, 08, null]", R"(["1e3",1,"0o17","1","y","08",null])"},
      {"STRUCT", "{1e3: 1e3, n: yes, a: {b: 1.5}}", R"({"1e3":"1e3","a":{"b":1.5},"n":true})"},
  };
  for (const Case& each : table) {
    CAPTURE(each.type);
    CAPTURE(each.text);
    const std::string component =
                          "  comp-t:\n    executorLabel: exec-say\n    inputDefinitions: {parameters: {x: "
                          "{parameterType: " +
                          std::string(each.type) + ", defaultValue: " + each.text + "}}}\n",
                      inputs = "  inputDefinitions:\n    parameters:\n      p: {parameterType: " +
                               std::string(each.type) + ", defaultValue: " + each.text + "}\n",
                      tasks =
                          "      own: {componentRef: {name: comp-t}}\n"
                          "      given: {componentRef: {name: comp-t}, inputs: {parameters: {x: " +
                          constant(each.text) +
                          "}}}\n"
                          "      passed: {componentRef: {name: comp-t}, inputs: {parameters: {x: "
                          "{componentInputParameter: p}}}}\n";
    const Pipeline read = parse_pipeline(compiled(tasks, component, "", inputs), "p.yaml");
    const Pipeline pipeline = read.for_values(parameter_values(read, {}), {});
    for (const char* task : {"own", "given", "passed"}) {
      CAPTURE(task);
      CHECK(executor_input(*pipeline.find(task), {})["inputs"]["parameterValues"]["x"].dump() == each.json);
    }
  }
}

TEST_CASE("kfp: arguments depend on inputs, and braces that are not the SDK's placeholders stay") {
  const Pipeline pipeline = parse_pipeline(
      compiled(
          "      a: {componentRef: {name: comp-a}, inputs: {parameters: {text: " + constant("x") + "}}}\n",
          R"(  comp-a:
    executorLabel: exec-a
    inputDefinitions: {parameters: {text: {parameterType: STRING}, no: {parameterType: STRING, isOptional: true}}}
    outputDefinitions: {artifacts: {out: {artifactType: {schemaTitle: system.Artifact}, metadata: {k: 1}}}}
)",
          R"x(    exec-a:
      container:
        command: [run, "{{$.outputs.artifacts['out'].path}}", "{{$.outputs.artifacts['out'].metadata}}", "{{ $v }} {{$v}} {{$.pipeline_task_name}}"]
        args:
        - '{"Concat": ["t=", "{{$.inputs.parameters[''text'']}}", {"IfPresent": {"InputName": "no", "Then": "?"}}]}'
        - '{"IfPresent": {"InputName": "text", "Then": ["--text", "{{$.inputs.parameters[''text'']}}"], "Else": "none"}}'
        - '{"IfPresent": {"InputName": "no", "Then": ["--no"], "Else": ["--none", "x"]}}'
)x"),
      "p.yaml");
  const render::Scope scope{{"out", {{"out", "/o/out"}}}, {"step", {{"name", "a"}}}};
  CHECK(pipeline.steps[0].program->command(scope, Where::here) ==
        std::vector<std::string>{"run", "/o/out", R"({"k":1})", "{{ $v }} {{$v}} a", "t=x", "--text", "x",
                                 "--none", "x"});
}

TEST_CASE("kfp: packages are installed in a separate environment, with kfp 2.5 or later") {
  const TemporaryFolder folder;
  const EnvironmentVariable state{"KML_STATE_DIR", folder.path().c_str()};
  const auto script_of = [](const std::string& script) {
    const std::string text =
        compiled("      a: {componentRef: {name: comp-a}}\n", "  comp-a: {executorLabel: exec-a}\n",
                 "    exec-a: {container: {command: [sh, -c, " + json_text(script) + ", run, it]}}\n");
    const auto words = parse_pipeline(text, "p.yaml").steps[0].program->command({}, Where::here);
    REQUIRE(words.size() == 8);
    CHECK(words[6] + words[7] == "runit");
    const std::string lock = read_file(std::filesystem::path(words[3]).parent_path() / "lock");
    return lock.substr(lock.find('\n') + 1);
  };
  const std::string end = " && \"$0\" \"$@\"\n";
  CHECK(script_of("python3 -m pip install 'kfp==2.4.0' '--no-deps'" + end) ==
        "python3 -m pip install 'kfp==2.5.0' '--no-deps'" + end);
  CHECK(script_of("python3 -m pip install 'kfp==2.17.3'" + end) ==
        "python3 -m pip install 'kfp==2.17.3'" + end);
  CHECK(script_of("tmp=$(mktemp -d)\npython3 -m venv \"$tmp/venv\" --system-site-packages\n"
                  ". \"$tmp/venv/bin/activate\"\n python3 -m pip install 'x'" +
                  end) == " python3 -m pip install 'x'" + end);
}

TEST_CASE("kfp: in a pod, a component installs its packages with its own script, with kfp 2.5 or later") {
  const std::string script = "tmp=$(mktemp -d)\npython3 -m pip install 'kfp==2.4.0' && \"$0\" \"$@\"";
  const std::string text =
      compiled("      a: {componentRef: {name: comp-a}}\n", "  comp-a: {executorLabel: exec-a}\n",
               "    exec-a: {container: {command: [sh, -c, " + json_text(script) + ", run, it]}}\n");
  CHECK(parse_pipeline(text, "p.yaml").steps[0].program->command({}, Where::pod) ==
        std::vector<std::string>{"sh", "-c",
                                 "tmp=$(mktemp -d)\npython3 -m pip install 'kfp==2.5.0' && \"$0\" \"$@\"",
                                 "run", "it"});
}

TEST_CASE("kfp: conditions become conditions of kml") {
  const std::string group = R"(  comp-condition-1:
    dag:
      tasks:
        inside: {componentRef: {name: comp-say}, inputs: {parameters: {text: {runtimeValue: {constant: x}}}}}
    inputDefinitions: {parameters: {p: {parameterType: STRING}}}
)";
  const auto when = [&](const std::string& condition, const std::string& input) {
    const std::string text = compiled(
        say("a", constant("x")) +
            "      condition-1: {componentRef: {name: comp-condition-1}, inputs: {parameters: {p: " + input +
            "}}, triggerPolicy: {condition: " + json_text(condition) + "}}\n",
        group, "", kParameters);
    return parse_pipeline(text, "p.yaml").find("inside")->when->text();
  };
  CHECK(when("inputs.parameter_values['p'] == 'it's'", output_of("a")) == "a.Output == 'it\\'s'");
  CHECK(when("int(inputs.parameter_values['p']) > 5", output_of("a")) == "a.Output > 5");
  CHECK(when("!(inputs.parameter_values['p'] == 'x') && 1 == 1", output_of("a")) ==
        "!(a.Output == 'x') && a.Output != null && 1 == 1");
  CHECK(when("double(int(inputs.parameter_values['p'])) >= 0.5", "{componentInputParameter: n}") ==
        "params.n >= 0.5");
  CHECK(when("inputs.parameter_values['p'] != true", constant("false")) == "'false' != true");
  CHECK_THROWS_AS(when("__import__('os').system('x') == 1", constant("1")), const Error&);
  CHECK_THROWS_AS(when("inputs.parameter_values['q'] == 1", constant("1")), const Error&);
}

const char* const kLoop = R"(  comp-for-loop-1:
    dag:
      outputs:
        parameters: {all: {valueFromParameter: {producerSubtask: say, outputParameterKey: Output}}}
      tasks:
        say:
          componentRef: {name: comp-say}
          inputs: {parameters: {text: {componentInputParameter: item, parameterExpressionSelector: 'parseJson(string_value)["k"]'}}}
    inputDefinitions: {parameters: {item: {parameterType: STRUCT}}}
    outputDefinitions: {parameters: {all: {parameterType: LIST}}}
  comp-list:
    executorLabel: exec-say
    inputDefinitions: {parameters: {list: {parameterType: LIST}}}
)";

TEST_CASE("kfp: loops over the run's parameters become steps, and their outputs are lists") {
  const std::string text = compiled(
      R"(      for-loop-1:
        componentRef: {name: comp-for-loop-1}
        inputs: {parameters: {items: {componentInputParameter: items}}}
        iteratorPolicy: {parallelismLimit: 1}
        parameterIterator: {itemInput: item, items: {inputParameter: items}}
      list: {componentRef: {name: comp-list}, inputs: {parameters: {list: {taskOutputParameter: {producerTask: for-loop-1, outputParameterKey: all}}}}}
)",
      kLoop, "", kParameters);
  const Pipeline pipeline =
      parse_pipeline(text, "p.yaml").for_values({{"items", {{{"k", "u"}}, {{"k", "v"}}}}}, {});
  CHECK(names_of(pipeline) == std::vector<std::string>{"for-loop-1-0-say", "for-loop-1-1-say", "list"});
  CHECK(executor_input(pipeline.steps[1], {})["inputs"]["parameterValues"]["text"] == "v");
  CHECK(pipeline.steps[1].after == std::vector<std::string>{"for-loop-1-0-say"});
  const Step& list = pipeline.steps[2];
  REQUIRE(list.inputs.size() == 2);
  const render::Scope scope{
      {"inputs", {{list.inputs[0].name, {{"value", "a"}}}, {list.inputs[1].name, {{"value", "b"}}}}}};
  CHECK(executor_input(list, scope)["inputs"]["parameterValues"]["list"] == Json({"a", "b"}));
}

TEST_CASE("kfp: everything unsupported is rejected by field and task, all at once") {
  const std::string text = compiled(
      say("a", "{taskOutputParameter: {producerTask: nowhere, outputParameterKey: k}}") +
          say("b", constant("x"), ", someday: 1") + say("c", output_of("d")) + say("d", output_of("c")) +
          R"(      e: {componentRef: {name: comp-resolver}}
      f: {componentRef: {name: comp-pip}, inputs: {parameters: {path: {runtimeValue: {constant: x}}}}}
      g: {componentRef: {name: comp-import}}
)",
      R"(  comp-resolver: {executorLabel: exec-resolver}
  comp-pip: {executorLabel: exec-pip, inputDefinitions: {parameters: {path: {parameterType: STRING}}}}
  comp-import: {executorLabel: exec-import, outputDefinitions: {artifacts: {artifact: {artifactType: {schemaTitle: system.Model}}}}}
)",
      R"(    exec-resolver: {resolver: {outputArtifactQueries: {}}}
    exec-pip: {container: {image: x, command: [sh, -ec, run, "def f(path: InputPath(str)):\n  pass"], lifecycle: {}}}
    exec-import: {importer: {artifactUri: {constant: "oci://model"}, downloadToWorkspace: true}}
)");
  const std::vector<std::string> problems = problems_of(text + R"(---
platforms:
  kubernetes: {deploymentSpec: {executors: {exec-pip: {podAffinity: [], nodeSelector: {labels: {a: b}}}}}}
)");
  for (const char* expected :
       {"root.dag: no task \"nowhere\"", "root.dag.tasks.b.someday: kml does not support \"someday\"",
        "root.dag.tasks.c: tasks wait for each other",
        "exec-resolver.resolver: kml does not support \"resolver\"", "\"Failed to get input artifact path\"",
        "container.lifecycle: kml does not support \"lifecycle\"", "kml cannot import oci://model",
        "kml does not support \"downloadToWorkspace\"",
        "exec-pip.podAffinity: kml does not support \"podAffinity\""})
    CHECK_MESSAGE(std::any_of(problems.begin(), problems.end(),
                              [&](const auto& each) { return each.find(expected) != std::string::npos; }),
                  expected);
  CHECK_MESSAGE(problems.size() == 11, join(problems, "\n"));
}

TEST_CASE("kfp: settings come from the container and from platforms.kubernetes") {
  const Pipeline pipeline = parse_pipeline(
      compiled("      a: {componentRef: {name: comp-a}}\n", "  comp-a: {executorLabel: exec-a}\n",
               R"(    exec-a:
      container:
        image: busybox
        command: [a]
        env: [{name: A, value: "1 ${params.x} $$"}]
        resources: {cpuLimit: 1.0, resourceCpuLimit: "2", resourceMemoryLimit: 1G, accelerator: {resourceType: nvidia.com/gpu, resourceCount: "2"}}
)") + R"(---
platforms:
  kubernetes:
    deploymentSpec:
      executors:
        exec-a:
          nodeSelector: {labels: {zone: b}}
          tolerations: [{key: k, operator: Equal, value: v, effect: NoSchedule}]
          activeDeadlineSeconds: '30'
          pvcMount: [{mountPath: /data, pvcNameParameter: {runtimeValue: {constant: claim}}}]
          secretAsEnv: [{secretName: s, keyToEnv: [{secretKey: K, envVar: K}]}]
)",
      "p.yaml");
  CHECK(compact_text(yaml::to_json(pipeline.steps[0].settings, "")) ==
        R"({"cpu":"2","env":{"A":"1 $${params.x} $$$$"},"gpus":"2","image":"busybox",)"
        R"("memory":"1G","mounts":["pvc/claim:/data"],"node-selector":{"zone":"b"},"time-limit":"30s"})");
  CHECK(compact_text(pipeline.steps[0].pod) ==
        R"({"env":[{"name":"K","valueFrom":{"secretKeyRef":{"key":"K","name":"s"}}}],)"
        R"("tolerations":[{"effect":"NoSchedule","key":"k","operator":"Equal","value":"v"}]})");
}

TEST_CASE("kfp: a PipelineJob's values are defaults, and JSON is read") {
  const Json spec =
      yaml::to_json(yaml::parse_one(compiled(say("a", constant("x")), "", "", kParameters), ""), "");
  const Json job = {{"pipelineSpec", spec}, {"runtimeConfig", {{"parameterValues", {{"name", "given"}}}}}};
  CHECK(parameter_values(parse_pipeline(job.dump(2), "job.json"), {})["name"] == "given");
}

TEST_CASE("kfp: an artifact of the pipeline is a file, passed as a parameter") {
  const std::string inputs =
      "{artifacts: {data: {artifactType: {schemaTitle: system.Dataset}}, "
      "more: {artifactType: {schemaTitle: system.Dataset}, isOptional: true}}}\n";
  const Pipeline pipeline = parse_pipeline(
      compiled(
          "      a: {componentRef: {name: comp-a}, inputs: {artifacts: {in: {componentInputArtifact: data}, "
          "other: {componentInputArtifact: more}}}}\n",
          "  comp-a:\n    executorLabel: exec-a\n    inputDefinitions: {artifacts: {in: {artifactType: "
          "{schemaTitle: system.Dataset}}, other: {artifactType: {schemaTitle: system.Dataset}, "
          "isOptional: true}}}\n",
          "    exec-a: {container: {command: [cat, \"{{$.inputs.artifacts['in'].path}}\"]}}\n",
          "  inputDefinitions: " + inputs),
      "p.yaml");
  for (const std::vector<std::string>& given : {std::vector<std::string>(), {"data="}})
    CHECK_THROWS_AS(parameter_values(pipeline, given), const Error&);
  const Json values = parameter_values(pipeline, {"data=d.csv"});
  CHECK(values == Json({{"data", "d.csv"}, {"more", nullptr}}));
  const std::vector<Input> given = pipeline.for_values(values, {}).steps[0].inputs;
  REQUIRE(given.size() == 1);
  CHECK(given[0].name == "in");
  CHECK(given[0].path == "d.csv");
  CHECK(pipeline.for_values({{"data", "d.csv"}, {"more", "m.csv"}}, {}).steps[0].inputs.size() == 2);
}

TEST_CASE(
    "kfp: without an accelerator type, a task has no GPUs, as in Kubeflow; an unknown type is rejected") {
  const auto settings_with = [](const std::string& type) {
    const std::string text =
        compiled("      a: {componentRef: {name: comp-a}}\n", "  comp-a: {executorLabel: exec-a}\n",
                 "    exec-a: {container: {image: busybox, command: [a], resources: {accelerator: "
                 "{resourceCount: \"2\", resourceType: \"" +
                     type + "\"}}}}\n");
    return compact_text(yaml::to_json(parse_pipeline(text, "p.yaml").steps[0].settings, ""));
  };
  CHECK(settings_with("") == R"({"image":"busybox"})");
  CHECK(settings_with("nvidia.com/gpu") == R"({"gpus":"2","image":"busybox"})");
  CHECK_THROWS_AS(settings_with("tpu-v3"), const Error&);
}

}  // namespace kml::pipeline::kfp_test
