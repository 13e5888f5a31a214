#include <doctest/doctest.h>

#include "job/kinds/builtin_kinds.h"
#include "kml/base/error.h"
#include "kml/job/kinds/job_kind.h"

namespace parse_kind_test {

using kml::Error;
using kml::job::JobKind;
using kml::job::parse_kind;

const std::string kLeast = "apiVersion: example.com/v1\nkind: Training\npodLabel: {key: x/y}\n";

std::string fault_of(const std::string& text) {
  try {
    parse_kind(text, "t.yaml");
  } catch (const Error& error) {
    return error.problems.empty() ? error.message : describe(error.problems[0]);
  }
  return {};
}

TEST_CASE("description of a kind: three keys suffice") {
  const JobKind kind = parse_kind(kLeast, "t.yaml");
  CHECK(kind.api_version() == "example.com/v1");
  CHECK(kind.plural == "trainings");
  CHECK(kind.name == "Training");
  CHECK(kind.word == "training");
  CHECK(kind.pod_label == "x/y");
  CHECK(kind.pod_label_value.text() == "metadata.name");
  CHECK(kind.states.empty());
  CHECK(kind.suspend.is_null());
}

TEST_CASE("description of a kind: each fault is reported with its position") {
  for (const auto& [more, wanted] : std::vector<std::pair<std::string, std::string>>{
           {"stats: {}", "t.yaml:4:1: unknown key \"stats\""},
           {"states: [a]", "t.yaml:4:9: states must be a mapping, but is a list"},
           {"states: {runing: a == 1}", "t.yaml:4:10: \"runing\" is not a state"},
           {"states: {unknown: a == 1}", "t.yaml:4:10: \"unknown\" is not a state"},
           {"states: {running: a ==}", "t.yaml:4:19: column 5: a value is missing"},
           {"states: {running: 5}",
            "t.yaml:4:19: column 1: the condition needs true or false; this is a number"},
           {"started: a..b", "t.yaml:4:10: \"a..b\" is not a path"},
           {"podTemplates: {path: a}", "t.yaml:4:15: podTemplates must be a list"},
           {"podTemplates: [{count: a}]", "t.yaml:4:16: an item of podTemplates has no path"},
           {"podSpecs: [{path: a, size: b}]", "t.yaml:4:22: unknown key \"size\""},
           {"suspend: {}", "t.yaml:4:10: suspend must be either patch or create"},
           {"suspend: {patch: {a: 1}, create: {b: 1}}",
            "t.yaml:4:10: suspend must be either patch or create"},
           {"suspend: {patch: true}", "t.yaml:4:18: patch must be a mapping"},
           {"word: [a]", "t.yaml:4:7: word must be a text"},
           {"states: {running: status.phase == Running}",
            "t.yaml:4:19: \"Running\" is not a path in the object; if it is a text, quote it: \"Running\""},
           {"states: {running: Status.phase == 'a'}", "t.yaml:4:19: \"Status.phase\": write status.phase"},
           {"states: {running: Conditions.Ready == 'True'}",
            "t.yaml:4:19: \"Conditions.Ready\": write conditions.Ready"},
           {"states: {running: conditions.Ready == true}",
            "t.yaml:4:19: the status of a condition is \"True\", \"False\" or \"Unknown\"; write "
            "conditions.Ready == \"True\""},
           {"states: {running: spec.a == 1 && 'true' != conditions.Ready}",
            "t.yaml:4:19: the status of a condition is"},
           {"plural: ../x", "t.yaml:4:9: plural: "},
           {"word: A B", "t.yaml:4:7: word: "},
           {"indexLabels: [bad label!]", "t.yaml:4:15: an item of indexLabels: "},
           {"queue: a..b", "t.yaml:4:8: \"a..b\" is not a path"},
           {"queue: 'metadata.labels[x]'", "t.yaml:4:8: \"metadata.labels[x]\" is not a path"},
           {"retries: 'spec.a[*].b'", "t.yaml:4:10: retries must be the path of one field"},
           {"podTemplates: [{path: a, count: [b, [c]]}]", "t.yaml:4:37: an item of count must be a text"},
           {"resume: {restore: 'a[*]'}", "t.yaml:4:19: restore must be the path of one field"}}) {
    const std::string fault = fault_of(kLeast + more);
    CHECK_MESSAGE(fault.starts_with(wanted), more, " -> ", fault);
  }
  CHECK(fault_of("apiVersion: a/v1\nkind: A\npodLabel: {key: bad label!}").find("podLabel.key: ") !=
        std::string::npos);
  CHECK(fault_of("apiVersion: A B/v1\nkind: A\npodLabel: {key: x}").find("apiVersion: ") !=
        std::string::npos);
  CHECK(fault_of("kind: A").find("apiVersion is missing") != std::string::npos);
  CHECK(fault_of("apiVersion: a/v1\nkind: A").find("podLabel is missing") != std::string::npos);
  CHECK(fault_of("[1]").find("a description must be a mapping") != std::string::npos);
}

TEST_CASE("description of a kind: fields that flags set, and counts that are products") {
  const JobKind kind = parse_kind(kLeast +
                                      "queue: metadata.labels[\"a.b/queue\"]\nretries: spec.retries\n"
                                      "timeLimit: spec.limit\nttl: spec.ttl\n"
                                      "podTemplates: [{path: spec.t, count: [a, b]}]\n"
                                      "resume: {restore: spec.size}\n",
                                  "t.yaml");
  CHECK(kind.queue == "metadata.labels[\"a.b/queue\"]");
  CHECK(kind.retries == "spec.retries");
  CHECK(kind.time_limit == "spec.limit");
  CHECK(kind.ttl == "spec.ttl");
  CHECK(kind.templates.at(0).counts == std::vector<std::string>{"a", "b"});
  CHECK(kind.resume == kml::Json{{"restore", "spec.size"}});
}

TEST_CASE("description of a kind: a kind or a word that kml knows already cannot be described") {
  const auto refused = [](const std::string& text, const std::string& other) {
    try {
      JobKind kind = parse_kind(text, "t.yaml");
      kind.file = "t.yaml";
      kml::job::require_describable(kind);
      if (other.empty()) return std::string();
      JobKind second = parse_kind(other, "u.yaml");
      second.file = "u.yaml";
      kml::job::require_distinct(kind, second);
    } catch (const Error& error) {
      return error.message;
    }
    return std::string();
  };
  const std::string another = "apiVersion: b.com/v1\nkind: Other\npodLabel: {key: x/y}\n";
  CHECK(refused(kLeast, "").empty());
  CHECK(refused(kLeast, another).empty());
  CHECK(refused(kLeast, kLeast) == "the kind t.yaml cannot be described");
  CHECK(refused(kLeast, another + "word: training\n") == "the kind t.yaml cannot have the word training");
  CHECK(refused(kLeast + "word: job\n", "") == "the kind t.yaml cannot have the word job");
  CHECK(refused("apiVersion: batch/v1\nkind: Job\npodLabel: {key: x}\n", "") ==
        "the kind t.yaml cannot be described");
}

TEST_CASE("description of a kind: an expression that is too long or too deep is a fault, not a crash") {
  const std::string deep(5000, '('), wide(20'000, 'a');
  for (const std::string& expression : {deep + "a", "a == " + wide})
    CHECK_FALSE(fault_of(kLeast + "states: {running: '" + expression + "'}").empty());
}

TEST_CASE("description of a kind: kml's own descriptions are valid, and each kind is found by its word") {
  REQUIRE(kml::job::builtin_kinds().size() >= 11);
  for (const kml::job::BuiltinKind& builtin : kml::job::builtin_kinds()) {
    const JobKind kind = parse_kind(builtin.text, std::string(builtin.name));
    const kml::api::ResourceKind* found = kml::api::find_kind_by_word(kind.word);
    REQUIRE_MESSAGE(found, builtin.name);
    CHECK(found->kind == kind.kind);
    CHECK(found->pod_label == kind.pod_label);
    CHECK(kind.text == builtin.text);
  }
}

}  // namespace parse_kind_test
