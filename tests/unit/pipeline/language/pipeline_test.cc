#include "kml/pipeline/language/pipeline.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"
#include "pipeline/file/parse_pipeline.h"
#include "pipeline/language/fill_step.h"

namespace kml::pipeline::pipeline_test {

const std::string kHead = "apiVersion: kml.dev/v1\nkind: Pipeline\nmetadata: {name: iris}\nspec:\n";

Pipeline parsed(const std::string& spec) {
  return parse_pipeline(kHead + spec, "p.yaml");
}

/// Each problem in the form "5:3: text", in order.
std::vector<std::string> problems_of(const std::string& text) {
  std::vector<std::string> problems;
  try {
    parse_pipeline(text, "p.yaml");
  } catch (const Error& error) {
    for (const Problem& problem : error.problems)
      problems.push_back(std::to_string(problem.line) + ":" + std::to_string(problem.column) + ": " +
                         problem.text);
  }
  return problems;
}

std::string only_problem(const std::string& spec) {
  const std::vector<std::string> problems = problems_of(kHead + spec);
  REQUIRE(problems.size() == 1);
  return problems[0];
}

std::vector<std::string> names_of(const Pipeline& pipeline) {
  std::vector<std::string> names;
  for (const Step& step : pipeline.steps) names.push_back(step.name);
  return names;
}

TEST_CASE("pipeline file: steps follow the steps that they wait for, otherwise the order in the file") {
  const Pipeline pipeline = parsed(R"(  steps:
    c: {inputs: {x: b.y}, command: [c, "${in.x}"]}
    a: {command: [a]}
    b: {when: d.n > 1, command: [b, "${out.y}"], outputs: {y: file}}
    d: {command: [d], outputs: {n: metric}}
)");
  CHECK(names_of(pipeline) == std::vector<std::string>{"a", "d", "b", "c"});
  CHECK(dependencies(*pipeline.find("b")) == std::vector<std::string>{"d"});
}

/// The step's words and settings in a run with these flags -p.
std::string filled_in(const std::string& spec, const std::string& step,
                      const std::vector<std::string>& given = {}) {
  const Pipeline pipeline = parsed(spec);
  const Json params = parameter_values(pipeline, given);
  const Pipeline run = expanded(pipeline, params);
  const FilledStep filled =
      fill(*run.find(step), "p.yaml", {{"params", params}, {"item", run.find(step)->item}}, Where::here);
  std::string text;
  for (const std::string& word : filled.command) text += word + " ";
  for (const spec::Setting& setting : filled.settings) text += setting.value + " ";
  return text;
}

TEST_CASE("pipeline file: a number keeps its text where a text is wanted") {
  CHECK(filled_in(R"(  steps:
    a: {command: [echo, 3.10, 1.0, 08, 0o17, 1_000, 12345678901234567890, yes, 1e-7, .inf, 0.0, 7, true]}
)",
                  "a") == "echo 3.10 1.0 08 0o17 1_000 12345678901234567890 yes 1e-7 .inf 0.0 7 true ");
  CHECK(filled_in(R"(  defaults: {env: {PYVER: 3.20, COMMIT: 1234e5}}
  steps:
    a: {command: [a], env: {ZIP: 01234, ONN: on, NONE: ~}, labels: {v: 3.10}, image: 3.10, uv: yes}
)",
                  "a") == "a COMMIT=1234e5 NONE= ONN=on PYVER=3.20 ZIP=01234 v=3.10 3.10 true ");
  const std::string params =
      R"(  params: {py: 3.10, id: {default: 007, type: int}, pys: [3.9, 3.10, 007], lr: {type: float, default: 1e-3}}
  steps:
    a: {command: [a, "${params.py}", "${params.id}", "--lr=${params.lr}", {$splice: "${params.pys}"}]}
    b: {foreach: {py: [3.9, 3.10, 007]}, command: [b, "${item.py}"]}
    c: {foreach: {py: "${params.pys}"}, command: [c, "${item.py}"]}
)";
  CHECK(filled_in(params, "a") == "a 3.10 007 --lr=1e-3 3.9 3.10 007 ");
  CHECK(filled_in(params, "a", {"py=3.20", "id=08", "lr=1e-4", "pys=[3.10, 1e5]"}) ==
        "a 3.20 08 --lr=1e-4 3.10 1e5 ");
  CHECK(filled_in(params, "a", {"id=3.0", "lr=1", "pys=[]"}) == "a 3.10 3 --lr=1 ");
  CHECK(filled_in(params, "b-1") == "b 3.10 ");
  CHECK(filled_in(params, "b-2") == "b 007 ");
  CHECK(filled_in(params, "c-1") == "c 3.10 ");
}

TEST_CASE("pipeline file: a name keeps its text, even if YAML reads it as a boolean or a number") {
  CHECK(filled_in(R"(  steps:
    on: {command: [a], env: {Y: 1, y: 2, N: 3, on: 4, "true": 5, A: y}, labels: {no: x, 1.50: v}}
)",
                  "on") == "a A=y N=3 Y=1 on=4 true=5 y=2 1.50=v no=x ");
  const Pipeline pipeline =
      parsed("  steps: {a: {command: [a], sweep: {param: {y: 1..4, on: '1,2'}, maximize: s}}}\n");
  render::Problems problems("p.yaml");
  CHECK(render::evaluate(pipeline.find("a")->sweep, {}, problems)["param"] ==
        Json{{"y", "1..4"}, {"on", "1,2"}});
  const std::string items = R"(  params: {letters: [y, n], names: {type: map, default: {off: x, 08: y}}}
  steps:
    a: {foreach: {k: [y, n, on]}, command: [a, "${item.k}"]}
    b: {foreach: {k: "${params.letters}"}, command: [b, "${item.k}"]}
    c: {foreach: {k: "${params.names}"}, command: [c, "${item.k.key}=${item.k.value}"]}
    d: {foreach: {k: {y: 1, 1.50: n}}, command: [d, "${item.k.key}=${item.k.value}"]}
)";
  CHECK(filled_in(items, "a-0") == "a y ");
  CHECK(filled_in(items, "a-1") == "a n ");
  CHECK(filled_in(items, "a-2") == "a true ");  // a boolean, so conditions can test it
  CHECK(filled_in(items, "b-0") == "b y ");
  CHECK(filled_in(items, "b-0", {"letters=[N]"}) == "b N ");
  CHECK(filled_in(items, "c-0") == "c 08=y ");
  CHECK(filled_in(items, "c-1") == "c off=x ");
  CHECK(filled_in(items, "c-0", {"names={on: y}"}) == "c on=y ");
  CHECK(filled_in(items, "d-0") == "d 1.50=n ");
  CHECK(filled_in(items, "d-1") == "d y=1 ");
}

TEST_CASE("pipeline: the error about a list in place of a word says how to make words of its items") {
  try {
    filled_in("  params: {l: [1, 2]}\n  steps: {a: {command: [a, \"${params.l}\"]}}\n", "a");
    FAIL("no error");
  } catch (const Error& error) {
    REQUIRE(error.problems.size() == 1);
    CHECK(error.problems[0].text.find("$splice") != std::string::npos);
  }
}

TEST_CASE("pipeline: a value that cannot be filled in is an error, wherever a step has it") {
  for (const char* step : {R"({command: [a, "${params.py}"]})", R"({command: [a], image: "${params.py}"})",
                           R"({command: [a], env: {PY: "${params.py}"}})",
                           R"({serve: {command: [a], engine-account: "${params.py}"}})"}) {
    CAPTURE(step);
    const Pipeline pipeline = parsed("  params: {py: 3}\n  steps:\n    a: " + std::string(step) + "\n");
    CHECK_THROWS_AS(fill(*pipeline.find("a"), "p.yaml", {{"params", Json::object()}}, Where::here), Error);
  }
}

TEST_CASE(
    "pipeline file: problems are reported together, with positions, and with the nearest names of unknown "
    "ones") {
  const std::vector<std::string> problems = problems_of(kHead + R"(  parms: {}
  params: {trees: {type: int, default: many}}
  steps:
    load: {command: [load, "${out.trian}"], outputs: {train: datset}, gpu: 1}
    train:
      inputs: {data: laod.train, other: load.tain}
      command: [train, "${in.dta}", "${params.tres}"]
      retries: often
    empty: {}
)");
  CHECK(problems == std::vector<std::string>{
                        R"(5:3: unknown key "parms"; did you mean "params"?)",
                        R"(6:40: "many" is not a whole number)",
                        R"(8:28: ${out.trian}: no output "trian"; did you mean "train"?)",
                        R"(8:62: unknown kind of output "datset"; did you mean "dataset"?)",
                        R"(8:71: unknown key "gpu"; did you mean "gpus"?)",
                        R"(10:22: no step "laod"; did you mean "load"?)",
                        R"(10:41: step "load" has no output "tain"; did you mean "train"?)",
                        R"(11:24: ${in.dta}: no input "dta"; did you mean "data"?)",
                        R"(11:37: ${params.tres}: no parameter "tres"; did you mean "trees"?)",
                        R"(12:16: `retries` must be a whole number, or {n: 2, backoff: 10s})",
                        R"(13:5: the step has neither a command nor a template)",
                    });
}

TEST_CASE("pipeline file: a cycle is named") {
  CHECK(only_problem(R"(  steps:
    a: {after: [c], command: [a]}
    b: {after: [a], command: [b]}
    c: {after: [b], command: [c]}
    d: {after: [c], command: [d]}
)") == "6:5: steps wait for each other: a -> c -> b -> a");
  CHECK(only_problem("  steps: {a: {after: [a], command: [a]}}\n") == "5:11: the step waits for itself");
}

TEST_CASE("pipeline file: where placeholders are not filled in, they are rejected") {
  for (const char* step : {R"({inputs: {d: {path: "${params.f}"}}, command: [a]})",
                           R"({inputs: {d: {path: "data/${item.x}.csv"}}, command: [a]})",
                           R"({outputs: {d: {path: "data/${params.f}", kind: file}}, command: [a]})",
                           R"({code: {folder: src, paths: [a.py, "${params.f}"]}, command: [a]})",
                           R"({code: {paths: "${params.f}"}, command: [a]})"}) {
    CAPTURE(step);
    CHECK(only_problem("  params: {f: x}\n  steps: {a: " + std::string(step) + "}\n")
              .find("the path has a placeholder") != std::string::npos);
  }
  CHECK(only_problem(
            "  params: {r: x}\n  steps: {a: {inputs: {d: {artifact: \"${params.r}/b.c\"}}, command: [a]}}\n")
            .find("the name has a placeholder") != std::string::npos);
  CHECK(only_problem(
            "  params: {r: x}\n  steps: {a: {outputs: {m: {metric: \"${params.r}\"}}, command: [a]}}\n")
            .find("the metric's name has a placeholder") != std::string::npos);
}

TEST_CASE("pipeline file: values of a wrong kind are rejected") {
  CHECK(only_problem(R"(  steps:
    a: {command: [a, "${out.x}"], outputs: {x: file}}
    b: {when: a.x > 1, command: [b]}
)") == "7:15: a.x is a file, which has no value; a condition compares metrics and values");
  CHECK(only_problem(R"(  steps:
    a: {command: [a, "${out.m}"], outputs: {m: metric}}
)") == "6:22: ${out.m}: a metric is read from the log, and has no file");
  CHECK(only_problem(R"(  steps:
    a: {command: [a, "${out.x}"], outputs: {x: file, m: metric}}
    b: {inputs: {i: {oneOf: [a.x, a.m]}}, command: [b]}
)") == "7:30: oneOf mixes files and values; its sources must be all files, or all values");
}

TEST_CASE("pipeline file: a serve step has its command in serve, and the output url") {
  const Pipeline pipeline = parsed(R"(  steps:
    a: {serve: {command: [python, serve.py], port: 9000, template: kserve}}
    b: {inputs: {url: a.url}, command: [curl, "${in.url}"]}
)");
  const Step& serve = *pipeline.find("a");
  CHECK(is_serve(serve));
  CHECK_FALSE(serve.is_cached);
  CHECK(serve.command.items.size() == 2);
  CHECK(serve.outputs.at(0).name == "url");
  CHECK(only_problem("  steps: {a: {command: [a], serve: {command: [x]}}}\n") ==
        "5:24: a serve step cannot have command; its command is in serve, its output is url, and it runs "
        "each time");
  CHECK(only_problem("  steps: {a: {serve: {command: [x], prot: 1}}}\n").ends_with("did you mean \"port\"?"));
  CHECK(only_problem("  steps: {a: {serve: {command: [x, \"${in.model}\"]}}}\n") ==
        "5:36: ${in.model}: no input \"model\"; the step has none");
}

TEST_CASE("pipeline file: a command is a list of words") {
  CHECK(only_problem("  steps: {a: {command: python a.py}}\n") ==
        "5:24: the command must be a list of words, because it runs without a shell; to use a shell, write "
        "[sh, -c, \"...\"]");
  CHECK(only_problem("  steps: {a: {gpus: 1}}\n") == "5:11: the step has neither a command nor a template");
}

TEST_CASE("pipeline file: defaults apply to all steps, and a step's own settings override them") {
  const Pipeline pipeline = parsed(R"(  defaults: {image: "i:1", env: {A: 1, B: 2}, code: {paths: [lib]}}
  steps:
    a: {command: [a], env: {B: 3}, gpus: 2, timeout: 1h}
    b: {command: [b], image: "i:2", code: {paths: [b.py]}}
)");
  const Step& a = *pipeline.find("a");
  CHECK(a.settings.find("image")->text == "i:1");
  CHECK(a.settings.find("env")->find("A")->text == "1");
  CHECK(a.settings.find("env")->find("B")->text == "3");
  CHECK(a.settings.find("time-limit")->text == "1h");
  CHECK(a.code_paths == std::vector<std::string>{"lib"});
  CHECK(pipeline.find("b")->settings.find("image")->text == "i:2");
  CHECK(pipeline.find("b")->code_paths == std::vector<std::string>{"b.py"});
}

TEST_CASE("pipeline file: a foreach becomes a step per value, and steps that read from it get all outputs") {
  const Pipeline pipeline = expanded(parsed(R"(  params: {seeds: {type: list}}
  steps:
    a: {foreach: {seed: "${params.seeds}", lr: {low: 1, high: 2}}, command: [a, "${out.x}"], outputs: {x: value}}
    b: {inputs: {all: a.x}, after: [a], when: len(a.x) > 0, command: [b]}
)"),
                                     {{"seeds", {7, 8}}});
  CHECK(names_of(pipeline) == std::vector<std::string>{"a-0", "a-1", "a-2", "a-3", "b"});
  CHECK(pipeline.find("a-1")->item == Json{{"seed", 7}, {"lr", {{"key", "low"}, {"value", 1}}}});
  CHECK(pipeline.find("b")->inputs[0].is_list);
  CHECK(dependencies(*pipeline.find("b")) == std::vector<std::string>{"a-0", "a-1", "a-2", "a-3"});
  CHECK(pipeline.all_of("a").size() == 4);
}

TEST_CASE("pipeline file: a sweep step outputs the best trial's values") {
  const Pipeline pipeline = parsed(R"(  steps:
    tune: {sweep: {param: {lr: "log:1e-4..1e-1"}, maximize: accuracy}, command: [train, "{args}"]}
    train: {inputs: {lr: tune.best.lr}, when: tune.best.value > 0.5, command: [train, "${in.lr}"]}
)");
  CHECK(is_sweep(*pipeline.find("tune")));
  CHECK(pipeline.find("tune")->find_output("best.value"));
  CHECK(only_problem("  steps: {a: {command: [a], sweep: {trials: 3}}}\n")
            .find("`sweep` must be a mapping of flags") != std::string::npos);
  CHECK(only_problem("  steps: {a: {command: [a], sweep: {param: {x: '1,2'}, maximize: a, minimize: b}}}\n")
            .find("`sweep` must have one objective") != std::string::npos);
  CHECK(only_problem("  steps: {a: {command: [a], sweep: {param: {x: '1,2'}, trails: 3}}}\n") ==
        "5:56: unknown key \"trails\"; did you mean \"trials\"?");
}

TEST_CASE(
    "pipeline file: a foreach without a list, with too many steps or with a repeated name is rejected") {
  const auto problem_of = [](const std::string& spec) {
    try {
      expanded(parsed(spec), {{"n", 5}});
    } catch (const Error& error) {
      return error.problems.at(0).text;
    }
    return std::string();
  };
  CHECK(problem_of(R"(  params: {n: {type: int}}
  steps: {a: {foreach: {i: "${params.n}"}, command: [a]}}
)") == "its values must be a list or a map");
  CHECK(problem_of("  steps: {a: {foreach: {i: [1]}, command: [a]}, a-0: {command: [b]}}\n") ==
        "foreach would make step a-0, but a step with this name exists");
  std::string many;
  for (int i = 0; i < 101; ++i) many += std::to_string(i) + ",";
  CHECK(problem_of("  steps: {a: {foreach: {i: [" + many + "], j: [" + many + "]}, command: [a]}}\n") ==
        "this step would become more than 10,000 steps");
}

TEST_CASE("pipeline file: parameters take their defaults, and are checked by their types") {
  const Pipeline pipeline =
      parsed(R"(  params: {trees: {type: int, default: 100, min: 1}, name: {required: true}}
  steps: {a: {command: [a, "${params.trees}"]}}
)");
  CHECK(parameter_values(pipeline, {"name=x"}) == Json{{"trees", 100}, {"name", "x"}});
  std::vector<std::string> problems;
  try {
    parameter_values(pipeline, {"trees=0", "tres=1", "no"});
  } catch (const Error& error) {
    for (const Problem& problem : error.problems) problems.push_back(problem.path + ": " + problem.text);
  }
  CHECK(problems == std::vector<std::string>{
                        "-p trees=0: 0 is less than 1",
                        "-p tres=1: no parameter \"tres\"; did you mean \"trees\"?",
                        "-p no: write -p NAME=VALUE",
                        "spec.params: parameter \"name\" must be given: -p name=string",
                    });
}

}  // namespace kml::pipeline::pipeline_test
