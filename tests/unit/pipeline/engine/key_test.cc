#include "kml/pipeline/engine/key.h"

#include <doctest/doctest.h>
#include "pipeline/file/parse_pipeline.h"

namespace kml::pipeline::key_test {

Step step_of(const std::string& step) {
  return parse_pipeline(
             "apiVersion: kml.dev/v1\nkind: Pipeline\nmetadata: {name: p}\nspec:\n"
             "  params: {lr: {type: float, default: 0.1}, other: {default: x}}\n"
             "  steps:\n    s: " +
                 step + "\n",
             "p.yaml")
      .steps[0];
}

const Json kParams = {{"lr", 0.1}, {"other", "x"}};

std::string key(const std::string& step, const Json& params = kParams) {
  return key_of(parts_of(step_of(step), params, Json::object()));
}

TEST_CASE("key: depends on command, variables, image, outputs, salt, secrets and template") {
  const std::string plain = key("{command: [a]}");
  for (const char* other : {"{command: [b]}", "{command: [a], env: {A: 1}}", "{command: [a], image: i}",
                            "{command: [a], outputs: {x: value}}", "{command: [a], cache: {salt: 2}}",
                            "{command: [a], secrets: [TOKEN]}", "{command: [a], template: job}"})
    CHECK(key(other) != plain);
}

TEST_CASE("key: does not depend on resources, retries, labels or conditions") {
  const std::string plain = key("{command: [a]}");
  for (const char* other :
       {"{command: [a], gpus: 2}", "{command: [a], retries: 3}", "{command: [a], labels: {a: b}}",
        "{command: [a], memory: 1Gi, cpu: 2, priority: high, queue: q, timeout: 1h}",
        "{command: [a], when: params.lr > 0}", "{command: [a], onFailure: continue}"})
    CHECK(key(other) == plain);
}

TEST_CASE("key: depends only on the parameters that a step uses") {
  const std::string step = "{command: [a, \"${params.lr}\"]}";
  CHECK(key(step) == key(step, {{"lr", 0.1}, {"other", "y"}}));
  CHECK(key(step) != key(step, {{"lr", 0.2}, {"other", "x"}}));
}

TEST_CASE("key: depends on the parameters that the salt names") {
  const std::string step = "{command: [a], cache: {salt: \"v1 ${params.lr} ${run.scheduled}\"}}";
  CHECK(key(step) == key(step, {{"lr", 0.1}, {"other", "y"}}));
  CHECK(key(step) != key(step, {{"lr", 0.2}, {"other", "x"}}));
  CHECK(key(step) != key(step, {{"lr", 0.1}, {"other", "x"}, {"run.scheduled", "2026-01-01T00:00:00Z"}}));
  for (const char* wrong : {"${params.rl}", "${in.x}", "${run.name}", "${"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(step_of("{command: [a], cache: {salt: \"" + std::string(wrong) + "\"}}"), Error);
  }
}

TEST_CASE("key: no part of a key shows the value of a step's variable") {
  CHECK(compact_text(Json(parts_of(step_of("{command: [a], env: {A: hunter2}}"), kParams, Json::object())))
            .find("hunter2") == std::string::npos);
}

TEST_CASE("key: differences are reported by the names in the user's file") {
  const auto list_of = [](const std::string& digest) -> std::optional<std::string> {
    if (digest == "1") return "\"a.py\" 644 x\n\"b.py\" 644 x\n";
    if (digest == "2") return "\"a.py\" 644 y\n\"c.py\" 644 x\n";
    return {};
  };
  CHECK(changes({{"code", "1"}, {"command", "a"}, {"env LR", "1"}, {"param trees", "100"}},
                {{"code", "2"}, {"command", "b"}, {"env WD", "1"}, {"param trees", "200"}}, list_of) ==
        std::vector<std::string>{"a.py changed", "b.py removed", "c.py added", "command changed",
                                 "env LR removed", "param trees: 100 -> 200", "env WD added"});
  CHECK(changes({{"code", "1"}}, {{"code", "lost"}}, list_of) == std::vector<std::string>{"code changed"});
}

}  // namespace kml::pipeline::key_test
