#include "kml/job/render/template.h"

#include <doctest/doctest.h>

#include "kml/job/render/parameters.h"
#include "kml/job/render/render.h"
#include "support/settings.h"

namespace template_test {

using namespace kml;

namespace {

const std::string kHead = "kml: template/v1\n";

/// The body of a template with these parameters, filled in.
Json filled(const std::string& parameters, const std::string& body,
            const std::vector<std::pair<std::string, std::string>>& values = {},
            std::vector<std::string> command = {}) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const auto& [name, value] : values) given.emplace_back("param", name + "=" + value);
  const std::string text = kHead + "parameters: {" + parameters + "}\nbody:\n  v:\n" + body;
  return render::render(spec::parse_settings(flags(given), std::move(command)),
                        render::parse_template(text, "t", "t.yaml"))
      .objects.at(0)["v"];
}

std::vector<std::string> parse_problems(const std::string& text) {
  return problems_of([&] { render::parse_template(text, "t", "t.yaml"); });
}

}  // namespace

TEST_CASE("template: in a map or a list of -p, names keep their text, and y and n are texts") {
  render::Parameter map, list;
  map.type = render::Type::map;
  list.type = render::Type::list;
  CHECK(render::value_of(map, "{y: 1, on: n, 1.50: yes}") == Json{{"y", 1}, {"on", "n"}, {"1.50", true}});
  CHECK(render::value_of(map, R"({"n": ["y", true]})") == Json{{"n", {"y", true}}});
  CHECK(render::value_of(list, "[y, N, on, {Y: n}]") == Json({"y", "N", true, {{"Y", "n"}}}));
  CHECK(render::value_of(list, "y,n") == Json({"y", "n"}));
}

TEST_CASE(
    "template: a placeholder that is a whole scalar keeps the parameter's type; within a longer text "
    "it becomes text") {
  const std::string parameters =
      "s: {default: x}, i: {type: int, default: 3}, f: {type: float, default: 0.5}, b: {type: bool, default: "
      "yes}, "
      "q: {type: quantity, default: 16Gi}, d: {type: duration, default: 2m}, l: {type: list, default: [1, "
      "a]}, "
      "m: {type: map, default: {k: 1}}, n: {}";
  CHECK(filled(
            parameters,
            "    {s: \"${s}\", i: \"${i}\", f: \"${f}\", b: \"${b}\", q: \"${q}\", d: \"${d}\", l: \"${l}\", "
            "m: \"${m}\", none: \"${n}\", t: !!str \"${i}\", in: \"a-${i}${s}-${b}\", \"k-${s}\": 1, reach: "
            "\"${m.k}\"}") == Json{{"s", "x"},
                                   {"i", 3},
                                   {"f", 0.5},
                                   {"b", true},
                                   {"q", "16Gi"},
                                   {"d", 120},
                                   {"l", {1, "a"}},
                                   {"m", {{"k", 1}}},
                                   {"none", nullptr},
                                   {"t", "3"},
                                   {"in", "a-3x-true"},
                                   {"k-x", 1},
                                   {"reach", 1}});
}

TEST_CASE("template: values never change the structure") {
  CHECK(filled("s: {}", "    a: ${s}\n    b: x ${s}", {{"s", "1\n  c: {d: [\"${s}\"]}"}}) ==
        Json{{"a", "1\n  c: {d: [\"${s}\"]}"}, {"b", "x 1\n  c: {d: [\"${s}\"]}"}});
  CHECK(filled("s: {}", "    [\"${s}\"]", {{"s", "yes"}}) == Json::array({"yes"}));
}

TEST_CASE("template: a doubled dollar sign becomes one, and other dollar signs stay") {
  CHECK(filled("s: {default: x}",
               "    - $$\n    - $${s}\n    - $$$${s}\n    - $HOME\n    - $(RANK)\n    - a$\n    - ${s}$") ==
        Json{"$", "${s}", "$${s}", "$HOME", "$(RANK)", "a$", "x$"});
  CHECK(filled("", "    {$$if: 1}") == Json{{"$if", 1}});
}

TEST_CASE("template: $if chooses a value, or leaves it out") {
  const std::string body =
      "    key: {$if: \"${p}\", $then: 1}\n    list: [{$if: \"${p}\", $then: a}, b]\n"
      "    other: {$if: \"${p}\", $then: a, $else: {c: \"${p}\"}}";
  CHECK(filled("p: {type: bool, default: true}", body) ==
        Json{{"key", 1}, {"list", {"a", "b"}}, {"other", "a"}});
  CHECK(filled("p: {type: int, default: 0}", body) == Json{{"list", {"b"}}, {"other", {{"c", 0}}}});
  CHECK(filled("p: {}", body)["list"] == Json{"b"});
  CHECK(filled("p: {type: list, default: []}", body)["list"] == Json{"b"});
}

TEST_CASE("template: $each repeats a value, $splice flattens lists") {
  CHECK(filled("l: {type: list}", "    $each: ${l}\n    $do: {name: \"n-${item}\"}", {{"l", "a,b"}}) ==
        Json{{{"name", "n-a"}}, {{"name", "n-b"}}});
  CHECK(filled("m: {type: map}",
               "    $each: ${m}\n    $as: e\n    $do: {name: \"${e.key}\", value: \"${e.value}\"}",
               {{"m", "{A: 1, B: x}"}}) ==
        Json{{{"name", "A"}, {"value", 1}}, {{"name", "B"}, {"value", "x"}}});
  CHECK(
      filled(
          "l: {type: list}",
          "    - first\n    - $splice: ${l}\n    - $splice: {$each: \"${l}\", $do: \"${item}2\"}\n    - last",
          {{"l", "[a, b]"}}) == Json{"first", "a", "b", "a2", "b2", "last"});
  CHECK(filled("m: {type: map}", "    a: 1\n    $splice: ${m}", {{"m", "{b: 2}"}}) ==
        Json{{"a", 1}, {"b", 2}});
  CHECK(filled("l: {type: list}", "    $each: ${l}\n    $do: {$each: \"${l}\", $as: item, $do: \"${item}\"}",
               {{"l", "a,b"}}) == Json::array({{"a", "b"}, {"a", "b"}}));
}

TEST_CASE("template: ${command} stands for the command") {
  const std::string text =
      kHead +
      "pods: [{path: spec.template}]\nbody:\n  spec: {template: {spec: {containers: [{name: a, "
      "command: [torchrun, {$splice: \"${command}\"}]}]}}}\n";
  Json object =
      render::render(spec::parse_settings({}, {"train.py", "$$"}), render::parse_template(text, "t", "t"))
          .objects[0];
  CHECK(object["spec"]["template"]["spec"]["containers"][0]["command"] ==
        Json{"torchrun", "train.py", "$$$$"});
}

TEST_CASE("template: a job gets the name, unless the body builds its own name from ${name}") {
  const auto names = [](const std::string& body) {
    std::vector<std::string> result;
    const std::string pods = "pods: [{path: \"[0].spec.template\"}, {path: \"[1].spec.template\"}]\n";
    const auto source = render::parse_template(kHead + pods + "body:\n" + body, "t", "t.yaml");
    for (const Json& object : render::render(spec::parse_settings(flags({{"name", "x"}})), source).objects)
      result.push_back(string_at(object, {"metadata", "name"}));
    return result;
  };
  const std::string spec = "spec: {template: {spec: {containers: [{name: a}]}}}}\n";
  CHECK(names("- {metadata: {name: \"${name}-a\"}, " + spec + "- {metadata: {name: \"${name}-b\"}, " +
              spec) == std::vector<std::string>{"x-a", "x-b"});
  CHECK(names("- {metadata: {name: \"${name}-a\"}, " + spec + "- {" + spec) ==
        std::vector<std::string>{"x-a", "x"});
  CHECK(problems_of([&] { names("- {" + spec + "- {" + spec); }) ==
        std::vector<std::string>{"--name: cannot name 2 jobs"});
}

TEST_CASE("template: all problems of the header are reported at once, with their positions") {
  CHECK(parse_problems("apiVersion: v1\nkind: Pod\n") ==
        std::vector<std::string>{"t.yaml:1:1: not a template: a template starts with \"kml: template/v1\" (a "
                                 "plain manifest is submitted with -f)"});
  CHECK(parse_problems("").size() == 1);
  CHECK(parse_problems(kHead + R"(halp: x
parameters:
  a: {type: itn}
  1b: {type: int, default: x}
  name: {}
  c: {type: int, min: 5, default: 3}
  d: {type: bool, min: 1}
  e: {pattern: "["}
  f: {required: true, default: x}
  g: {enum: [cat, dog], default: cta}
  h: {defualt: 1}
  i:
pods:
- {count: all}
- {path: a..b}
body: 3
)") == std::vector<std::string>{
           "t.yaml:2:1: unknown key \"halp\"; did you mean \"help\"?",
           "t.yaml:4:13 parameters.a: unknown type \"itn\"; did you mean \"int\"?",
           "t.yaml:5:3 parameters.1b: the name of a parameter must start with a letter, and may have up to "
           "63 letters, digits, \"-\" and \"_\"",
           "t.yaml:5:28 parameters.1b: \"x\" is not a whole number",
           "t.yaml:6:3 parameters.name: \"name\" is a reserved name, which the flags or the command set",
           "t.yaml:7:35 parameters.c: the default 3 is less than 5",
           "t.yaml:8:24 parameters.d: min has no effect for type bool",
           "t.yaml:9:16 parameters.e: not a regular expression: missing ]: [",
           "t.yaml:10:32 parameters.f: a required parameter cannot have a default",
           "t.yaml:11:34 parameters.g: the default \"cta\" is not one of cat, dog; did you mean \"cat\"?",
           "t.yaml:12:7 parameters.h: unknown key \"defualt\"; did you mean \"default\"?",
           "t.yaml:14:1 parameters.i: this must be a mapping, not null",
           "t.yaml:15:3 pods[0]: it must have \"path\", the path of a PodTemplateSpec",
           "t.yaml:15:11 pods[0]: `count` must be \"nodes\" or \"nodes-1\"",
           "t.yaml:16:10 pods[1]: \"a..b\" is not a path; write spec.template",
           "t.yaml:17:7 body: a template needs a body: an object, or a list of objects"});
}

TEST_CASE("template: a parameter may be declared by its default alone; the default gives the type") {
  const auto parsed = render::parse_template(
      kHead + "parameters: {a: 3, b: 0.5, c: yes-or-no, d: true, e: [1, 2], f: \"7\"}\nbody: {kind: Pod}\n",
      "t", "t.yaml");
  std::string types;
  for (const render::Parameter& parameter : parsed.parameters)
    types += parameter.name + " " + std::string(render::name_of(parameter.type)) + " " +
             parameter.default_value->dump() + "\n";
  CHECK(types == "a int 3\nb float 0.5\nc string \"yes-or-no\"\nd bool true\ne list [1,2]\nf string \"7\"\n");
}

TEST_CASE(
    "template: for an unknown placeholder in capitals, the error says how to write a variable of the shell") {
  CHECK(parse_problems(kHead + "body: {a: \"${HOME}/data\"}\n") ==
        std::vector<std::string>{
            "t.yaml:2:11 body.a: no parameter \"HOME\"; for the shell's variable, write $HOME "
            "or $${HOME}"});
}

TEST_CASE("template: all problems of the body are reported at once, with their positions") {
  CHECK(parse_problems(kHead + R"(parameters: {steps: {}}
body:
  a: ${stpes}
  b: [x, "${unknown-thing}"]
  c: "${steps"
  "${nope}": 1
  d: {$if: 1, then: 2}
  e: {$each: [], $od: 1}
  f: {$fi: 1}
  g: {$then: 1}
  h: {$each: [1], $as: x, $do: "${x} ${item}"}
)") == std::vector<std::string>{
           "t.yaml:4:6 body.a: no parameter \"stpes\"; did you mean \"steps\"?",
           "t.yaml:5:10 body.b[1]: no parameter \"unknown-thing\"; known parameters: name, nodes, gpus, "
           "image, "
           "command, steps",
           "t.yaml:6:6 body.c: \"${\" has no \"}\"; write \"$${\" for a literal \"${\"",
           "t.yaml:7:3 body: no parameter \"nope\"; known parameters: name, nodes, gpus, image, command, "
           "steps",
           "t.yaml:8:6 body.d: $if needs $then",
           "t.yaml:8:15 body.d: \"then\" cannot be used together with $if",
           "t.yaml:9:6 body.e: $each needs $do",
           "t.yaml:9:18 body.e: \"$od\" cannot be used together with $each",
           "t.yaml:10:7 body.f: unknown directive $fi; did you mean \"$if\"?",
           "t.yaml:11:7 body.g: $then must be used together with $if or $each",
           "t.yaml:12:32 body.h.$do: no parameter \"item\"; known parameters: name, nodes, gpus, image, "
           "command, "
           "steps, x"});
}

TEST_CASE("template: patterns are those of RE2, so matching takes linear time for every value") {
  const auto source = render::parse_template(
      kHead + "parameters: {tag: {pattern: \"(a+)+b|x\"}}\nbody: {kind: X}\n", "t", "t.yaml");
  const auto spec_with = [](const std::string& tag) {
    return spec::parse_settings(flags({{"param", "tag=" + tag}}));
  };
  CHECK_NOTHROW(render::render(spec_with(std::string(10'000, 'a') + "b"), source));
  CHECK_THROWS_AS(render::render(spec_with(std::string(10'000, 'a')), source), Error);
  CHECK_THROWS_AS(render::render(spec_with("xx"), source), Error);
}

TEST_CASE("template: all wrong parameter values are reported at once") {
  const std::string text = kHead + R"(parameters:
  steps: {type: int, min: 1, max: 10}
  memory: {type: quantity, min: 1Gi}
  mode: {enum: [fast, slow]}
  tag: {pattern: "[a-z]+"}
  flag: {type: bool}
  wait: {type: duration}
  list: {type: list}
  map: {type: map}
  needed: {type: int, required: true}
body: {kind: X}
)";
  const auto source = render::parse_template(text, "t", "t.yaml");
  const auto spec = spec::parse_settings(flags({{"param", "steps=11"},
                                                {"param", "memory=1Mi"},
                                                {"param", "mode=fats"},
                                                {"param", "tag=A"},
                                                {"param", "flag=maybe"},
                                                {"param", "wait=x"},
                                                {"param", "list=[1"},
                                                {"param", "map=3"},
                                                {"param", "stesp=1"}}));
  CHECK(problems_of([&] { render::render(spec, source); }) ==
        std::vector<std::string>{

            "--param: parameter \"steps\": 11 is more than 10",
            "--param: parameter \"memory\": 1Mi is less than 1Gi",
            "--param: parameter \"mode\": \"fats\" is not one of fast, slow; did you mean \"fast\"?",
            "--param: parameter \"tag\": \"A\" does not match [a-z]+",
            "--param: parameter \"flag\": \"maybe\" must be true or false",
            "--param: parameter \"wait\": \"x\" is not a duration; write 90s, 15m or 2h30m",
            "--param: parameter \"list\": \"[1\" is not YAML: a \"[\" before this is not closed",
            "--param: parameter \"map\": \"3\" is not a map; write {a: 1, b: 2}",
            "--param: template \"t\" has no parameter \"stesp\"; did you mean \"steps\"?",
            "t.yaml:11:3: parameter \"needed\" must be given: -p needed=int"});
}

TEST_CASE("template: an invalid value is reported with its position") {
  const std::string text =
      kHead + R"(parameters: {l: {type: list, default: [1]}, n: {}, m: {type: map, default: {a: 1}}}
pods: [{path: spec.template}, {path: spec.empty}]
body:
  a: x${l}
  b: "x${n}"
  c: ${m.z}
  d: [{$splice: "${m.a}"}]
  e: {$each: "${m.a}", $do: 1}
  f: {a: 1, $splice: "${m}"}
  g: {$splice: "${l}"}
)";
  const auto source = render::parse_template(text, "t", "t.yaml");
  CHECK(problems_of([&] { render::render({}, source); }) ==
        std::vector<std::string>{"t.yaml:5:6 a: ${l}: a list cannot be inserted into a string",
                                 "t.yaml:6:6 b: ${n}: it has no value", "t.yaml:7:6 c: ${m.z}: no \"z\"",
                                 "t.yaml:8:17 d[0]: $splice expects a list or a map",
                                 "t.yaml:9:14 e: $each expects a list or a map",
                                 "t.yaml:10:13 f: key \"a\" appears twice",
                                 "t.yaml:11:16 g: $splice expects a map here"});
}

TEST_CASE("template: pods named in the header and missing in the body are reported") {
  const auto source = render::parse_template(
      kHead + "pods:\n- {path: spec.template}\n- {path: spec.empty}\nbody: {spec: {empty: {spec: {}}}}\n",
      "t", "t.yaml");
  CHECK(problems_of([&] { render::render({}, source); }) ==
        std::vector<std::string>{"t.yaml:3:3 spec.template: this path has no PodTemplateSpec",
                                 "t.yaml:4:3 spec.empty: the pod has no container"});
}

}  // namespace template_test
