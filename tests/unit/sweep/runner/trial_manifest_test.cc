#include <doctest/doctest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/base/text.h"
#include "sweep/runner/sweep_runner.h"

namespace kml::sweep::trial_manifest_test {

namespace {

Json job_of(const Json& pod) {
  return {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"spec", {{"template", {{"spec", pod}}}}}};
}

Json pod_spec() {
  return {{"restartPolicy", "Never"}, {"containers", {{{"name", "main"}, {"command", {"train", "{args}"}}}}}};
}

SweepRunnerOptions options_of(const Json& job) {
  return {.sweep = "lr",
          .submit_id = "id",
          .namespace_name = "lab",
          .resource = "step",
          .collector = {},
          .manifest = [job](const sweep::TrialJob&) { return job; }};
}

}  // namespace

TEST_CASE("trial manifest: labels have trial, rung and attempt, an annotation has the parameters") {
  const sweep::TrialJob job = {
      .name = "lr-t00004-r1-a2", .trial = 4, .rung = 1, .attempt = 2, .values = {{"x", 0.5}}};
  const Json metadata = trial_manifest(options_of(job_of(pod_spec())), job)["metadata"];
  CHECK(metadata["labels"]["kml.dev/sweep"] == "lr");
  CHECK(metadata["labels"]["kml.dev/trial"] == "4");
  CHECK(metadata["labels"]["kml.dev/rung"] == "1");
  CHECK(metadata["labels"]["kml.dev/attempt"] == "2");
  CHECK(metadata["annotations"]["kml.dev/parameters"] == R"({"x":0.5})");
}

TEST_CASE("trial manifest: avoids bad nodes, in addition to the manifest's own affinity") {
  sweep::TrialJob job = {.name = "t", .values = Json::object(), .avoid_nodes = {"n1", "n2"}};
  const Json not_there = Json::parse(R"([
    {"key": "metadata.name", "operator": "NotIn", "values": ["n1"]},
    {"key": "metadata.name", "operator": "NotIn", "values": ["n2"]}])");
  const auto affinity = [&](const Json& pod) {
    return trial_manifest(options_of(job_of(pod)),
                          job)["spec"]["template"]["spec"]["affinity"]["nodeAffinity"];
  };
  const char* kWish = "preferredDuringSchedulingIgnoredDuringExecution";
  const char* kMust = "requiredDuringSchedulingIgnoredDuringExecution";
  CHECK(affinity(pod_spec())[kWish][0]["preference"]["matchFields"] == not_there);
  job.must_avoid = true;
  CHECK(affinity(pod_spec())[kMust]["nodeSelectorTerms"] == Json::array({{{"matchFields", not_there}}}));
  Json pod = pod_spec();
  const Json a100 = {{"key", "gpu"}, {"operator", "In"}, {"values", {"a100"}}};
  const Json h100 = {{"key", "gpu"}, {"operator", "In"}, {"values", {"h100"}}};
  pod["affinity"]["nodeAffinity"][kMust]["nodeSelectorTerms"] = {{{"matchExpressions", Json::array({a100})}},
                                                                 {{"matchExpressions", Json::array({h100})}}};
  const Json terms = affinity(pod)[kMust]["nodeSelectorTerms"];
  CHECK(terms[0] == Json{{"matchExpressions", Json::array({a100})}, {"matchFields", not_there}});
  CHECK(terms[1] == Json{{"matchExpressions", Json::array({h100})}, {"matchFields", not_there}});
}

TEST_CASE("indexed objects: with 20,000 trials, each object stays below the server's size limit") {
  Json document = {
      {"apiVersion", "kml.dev/v1"},
      {"kind", "Sweep"},
      {"metadata", {{"name", "lr"}}},
      {"spec",
       {{"fanOut", "indexed"},
        {"objective", {{"type", "maximize"}, {"objectiveMetricName", "score"}}},
        {"algorithm", {{"algorithmName", "random"}}},
        {"maxTrialCount", 20'000},
        {"parallelTrialCount", 500},
        {"parameters",
         Json::array(
             {{{"name", "x"}, {"parameterType", "double"}, {"feasibleSpace", {{"min", 0}, {"max", 1}}}}})},
        {"trialTemplate", {{"trialSpec", job_of(pod_spec())}}}}}};
  const sweep::SweepSpec spec = sweep::parse_sweep(document, "test");
  std::vector<sweep::TrialJob> jobs;
  for (std::uint64_t i = 0; i < 20'000; ++i)
    jobs.push_back({.name = "lr-" + std::to_string(i), .trial = i, .values = {{"x", std::string(200, 'v')}}});
  const IndexedObjects objects = indexed_objects(options_of(spec.trial), spec, "lr", jobs);
  CHECK(objects.tables.size() > 3);
  std::set<std::string> lines;
  for (const job::Belonging& table : objects.tables) {
    CHECK(table.object.dump().size() < 1'000'000);
    for (const std::string& line : split(table.object["data"]["trials"].get<std::string>(), '\n'))
      if (!line.empty()) lines.insert(line);
  }
  CHECK(lines.size() == 20'000);
  CHECK(objects.job.dump().size() < 20'000);
  CHECK(objects.job["spec"]["completions"] == 20'000);
  CHECK(objects.job["spec"]["parallelism"] == 500);
}

TEST_CASE("trial manifest: a Katib metrics file is in an emptyDir volume of its main container's pod") {
  Json pod = pod_spec();
  const Json first = {{"name", "first"}, {"command", {"other"}}};
  pod["containers"].insert(pod["containers"].begin(), first);
  SweepRunnerOptions options = options_of(job_of(pod));
  options.collector = {.path = "/katib/a/metrics.log", .has_volume = true};
  options.conditions.container = "main";
  const Json spec = trial_manifest(options, {.name = "a", .values = {}})["spec"]["template"]["spec"];
  CHECK(spec["containers"][0]["command"] == Json{"other"});
  const Json& main = spec["containers"][1];
  CHECK(main["command"][0] == "sh");
  CHECK(main["command"][4] == "/katib/a/metrics.log");
  CHECK(main["volumeMounts"] == Json::array({{{"name", "kml-metrics"}, {"mountPath", "/katib/a"}}}));
  CHECK(spec["volumes"] == Json::array({{{"name", "kml-metrics"}, {"emptyDir", Json::object()}}}));

  // A volume of the manifest stays.
  pod["containers"][1]["volumeMounts"] = Json::array({{{"name", "own"}, {"mountPath", "/katib"}}});
  options.manifest = [job = job_of(pod)](const sweep::TrialJob&) { return job; };
  CHECK(
      !trial_manifest(options, {.name = "a", .values = {}})["spec"]["template"]["spec"].contains("volumes"));
}

TEST_CASE("trial manifest: pods of other kinds get labels too, and their metrics need a pod template") {
  const auto labels_in = [](Json object, const char* path) {
    object["metadata"] = Json::object();
    return trial_manifest(options_of(object),
                          {.name = "a", .values = {}})[Json::json_pointer(path)]["kml.dev/sweep"];
  };
  const Json replicas = {{"Worker", {{"replicas", 2}, {"template", {{"spec", pod_spec()}}}}}};
  CHECK(labels_in(
            {{"apiVersion", "kubeflow.org/v1"}, {"kind", "TFJob"}, {"spec", {{"tfReplicaSpecs", replicas}}}},
            "/spec/tfReplicaSpecs/Worker/template/metadata/labels") == "lr");
  const Json flow = {{"apiVersion", "argoproj.io/v1alpha1"}, {"kind", "Workflow"}, {"spec", Json::object()}};
  CHECK(labels_in(flow, "/spec/podMetadata/labels") == "lr");
  SweepRunnerOptions options = options_of(flow);
  options.collector.path = "/metrics.log";
  CHECK_THROWS_AS(trial_manifest(options, {.name = "a", .values = {}}), Error);
}

TEST_CASE("trial manifest: in population-based training, a script copies the parent's checkpoint first") {
  const auto command = [](std::optional<std::string> parent) {
    const sweep::TrialJob job = {
        .name = "a", .values = {}, .checkpoint = "/c/7", .parent = std::move(parent)};
    return trial_manifest(options_of(job_of(pod_spec())),
                          job)["spec"]["template"]["spec"]["containers"][0]["command"];
  };
  CHECK(command({})[0] == "train");
  CHECK(command("/c/3")[0] == "sh");
  CHECK(command("/c/3")[4] == "/c/7");
  CHECK(command("/c/3")[5] == "/c/3");
  CHECK(command("")[5] == "");
  CHECK(command("")[6] == "train");
}

}  // namespace kml::sweep::trial_manifest_test
