#include "job/render/trainjob_shape.h"

#include <doctest/doctest.h>

#include "kml/job/render/render.h"

namespace kml::render {
namespace {

Error unknown_field(const std::string& field) {
  Error error(ErrorCode::failure, "cannot create the TrainJob",
              "strict decoding error: unknown field \"" + field + "\"");
  error.http_status = 400;
  return error;
}

Json trainjob(const std::string& spec) {
  return parse_manifests("{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, spec: {" + spec + "}}",
                         "trainjob.yaml")[0];
}

/// The shape of Kubeflow Trainer 2.2 and later.
Json newest() {
  return trainjob(R"(trainer: {numNodes: 2}, runtimePatches: [
    {manager: kueue.x-k8s.io/manager, trainingRuntimeSpec: {template: {}}},
    {manager: kml.dev/cli, trainingRuntimeSpec: {template: {
      metadata: {labels: {team: nlp}},
      spec: {replicatedJobs: [{name: node, template: {spec: {template: {
        metadata: {labels: {team: nlp}}, spec: {nodeSelector: {a: b}}}}}}]}}}}])");
}

}  // namespace

TEST_CASE("TrainJob: a cluster with Kubeflow Trainer 2.1 gets podTemplateOverrides") {
  const auto older = older_trainjob(newest(), unknown_field("spec.runtimePatches"));
  REQUIRE(older);
  const Json& spec = (*older)["spec"];
  CHECK(
      spec["podTemplateOverrides"].dump() ==
      R"([{"metadata":{"labels":{"team":"nlp"}},"spec":{"nodeSelector":{"a":"b"}},"targetJobs":[{"name":"node"}]}])");
  CHECK(spec["labels"].dump() == R"({"team":"nlp"})");
  CHECK_FALSE(lost_labels_of_pods(newest(), *older));
  CHECK(spec["trainer"].dump() == R"({"numNodes":2})");
}

TEST_CASE("TrainJob: a cluster with Kubeflow Trainer 2.0 gets podSpecOverrides") {
  const auto middle = older_trainjob(newest(), unknown_field("spec.runtimePatches"));
  REQUIRE(middle);
  const auto oldest = older_trainjob(*middle, unknown_field("spec.podTemplateOverrides"));
  REQUIRE(oldest);
  const Json& spec = (*oldest)["spec"];
  CHECK(spec["podSpecOverrides"].dump() == R"([{"nodeSelector":{"a":"b"},"targetJobs":[{"name":"node"}]}])");
  CHECK(spec["labels"].dump() == R"({"team":"nlp"})");
  CHECK_FALSE(spec.contains("podTemplateOverrides"));
  CHECK(lost_labels_of_pods(newest(), *oldest));
  CHECK_FALSE(lost_labels_of_pods(trainjob("trainer: {numNodes: 2}"), *oldest));
  CHECK_FALSE(older_trainjob(*oldest, unknown_field("spec.podSpecOverrides")));
}

TEST_CASE("TrainJob: the annotations of pods need Kubeflow Trainer 2.1") {
  Json object = trainjob("trainer: {numNodes: 2}");
  RuntimePatch patch;
  patch.of_job("node").metadata["annotations"]["a"] = "b";
  add_patch(object, patch);
  const auto middle = older_trainjob(object, unknown_field("spec.runtimePatches"));
  REQUIRE(middle);
  CHECK((*middle)["spec"]["podTemplateOverrides"][0]["metadata"]["annotations"]["a"] == "b");
  CHECK_THROWS_AS(older_trainjob(*middle, unknown_field("spec.podTemplateOverrides")), Error);
}

TEST_CASE("TrainJob: overrides of each older shape become a patch, and another author's patch stays") {
  for (const char* older :
       {"podSpecOverrides: [{targetJobs: [{name: node}], nodeSelector: {a: b}}], labels: {team: nlp}",
        "podTemplateOverrides: [{targetJobs: [{name: node}], spec: {nodeSelector: {a: b}}}], labels: {team: "
        "nlp}"}) {
    INFO(older);
    Json object = trainjob(older);
    const RuntimePatch patch = take_patch(object);
    CHECK(object["spec"].empty());
    REQUIRE(patch.pods.size() == 1);
    CHECK(patch.pods[0].spec.dump() == R"({"nodeSelector":{"a":"b"}})");
    CHECK(patch.metadata.dump() == R"({"labels":{"team":"nlp"}})");
  }
  Json of_kueue = newest();
  add_patch(of_kueue, take_patch(of_kueue));
  CHECK(of_kueue == newest());
}

TEST_CASE("TrainJob: a flag that needs a newer Kubeflow Trainer is named, with the version") {
  for (const auto& [field, text] :
       {std::pair("spec.activeDeadlineSeconds", "--time-limit: 2.2"),
        {"spec.podSpecOverrides[0].affinity", "--gpus with a type: 2.1"},
        {"spec.podSpecOverrides[0].imagePullSecrets", "--pull-secret: 2.1"},
        {"spec.podTemplateOverrides[0].spec.terminationGracePeriodSeconds", "--grace: 2.3"}}) {
    INFO(field);
    try {
      older_trainjob(newest(), unknown_field(field));
      FAIL("no error");
    } catch (const Error& error) {
      const std::string flag = error.message.substr(0, error.message.find(':'));
      const std::string version = error.why.substr(error.why.rfind(' ') + 1);
      CHECK(flag + ": " + version == text);
      CHECK(error.code == ErrorCode::usage);
    }
  }
}

TEST_CASE("TrainJob: the shape is not changed after other rejections, or for other kinds") {
  CHECK_FALSE(older_trainjob(newest(), unknown_field("spec.runtimePatch")));
  CHECK_FALSE(older_trainjob({{"kind", "Job"}}, unknown_field("spec.runtimePatches")));
  Error conflict = unknown_field("spec.runtimePatches");
  conflict.http_status = 409;
  CHECK_FALSE(older_trainjob(newest(), conflict));
}

}  // namespace kml::render
