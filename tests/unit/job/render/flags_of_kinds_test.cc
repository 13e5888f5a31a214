#include <doctest/doctest.h>

#include <algorithm>

#include "kml/job/render/render.h"
#include "support/settings.h"

namespace flags_of_kinds_test {

using namespace kml;

namespace {

using Flags = std::vector<std::pair<std::string, std::string>>;

const std::string kPod = "{spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 2}}}]}}";
const std::string kTrainJob = "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, spec: {}}";
const std::string kVolcano =
    "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, spec: {tasks: [{name: w, template: " + kPod + "}]}}";
const std::string kRayJob =
    "{apiVersion: ray.io/v1, kind: RayJob, spec: {rayClusterSpec: {headGroupSpec: {template: "
    "{spec: {containers: [{name: a}]}}}, workerGroupSpecs: [{replicas: 2, numOfHosts: 4, template: " +
    kPod + "}]}}}";
const std::string kModel =
    "{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, spec: {predictor: {model: {}}}}";
const std::string kLeaders = "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, spec: {}}";
const std::string kWorkflow = "{apiVersion: argoproj.io/v1alpha1, kind: Workflow, spec: {}}";
const std::string kPyTorchJob =
    "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, spec: {pytorchReplicaSpecs: {Master: {template: "
    "{spec: {schedulerName: volcano, containers: [{name: pytorch}]}}}}}}";
const std::string kJobSet =
    "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, spec: {replicatedJobs: [{replicas: 3, template: "
    "{spec: {completions: 2, parallelism: 2, template: " +
    kPod + "}}}]}}";

render::Rendered rendered(const std::string& manifests, const Flags& given) {
  return render::render(spec::parse_settings(flags(given)), render::parse_manifests(manifests, "f.yaml"));
}

Json value_at(const Json& object, const std::string& pointer) {
  return object.value(Json::json_pointer(pointer), Json());
}

}  // namespace

TEST_CASE("render: each kind gets a flag's value in the field that its controller reads") {
  const std::string in_runtime =
      "/spec/runtimePatches/0/trainingRuntimeSpec/template/spec/replicatedJobs/0/template/spec/template";
  const std::string annotation = "/metadata/annotations/kueue.x-k8s.io~1podset-";
  const std::string label = "/metadata/labels/kueue.x-k8s.io~1queue-name";
  struct Row {
    const std::string& manifest;
    Flags flags;
    std::string pointer;
    Json wanted;
  };
  const Row rows[] = {
      {kVolcano, {{"priority", "high"}}, "/spec/priorityClassName", "high"},
      {kVolcano, {{"priority", "high"}}, "/spec/tasks/0/template/spec/priorityClassName", "high"},
      {kPyTorchJob, {{"priority", "high"}}, "/spec/runPolicy/schedulingPolicy/priorityClass", "high"},
      {kTrainJob,
       {{"topology", "rack"}, {"queue", "q"}},
       in_runtime + annotation + "required-topology",
       "rack"},
      {kTrainJob,
       {{"topology", "rack:preferred"}, {"queue", "q"}},
       in_runtime + annotation + "preferred-topology",
       "rack"},
      {kTrainJob, {{"topology", "rack"}, {"queue", "q"}}, "/spec/trainer/metadata", Json()},
      {kRayJob, {{"time-limit", "1h"}}, "/spec/activeDeadlineSeconds", 3600},
      {kRayJob, {{"retries", "2"}}, "/spec/backoffLimit", 2},
      {kWorkflow, {{"time-limit", "1h"}}, "/spec/activeDeadlineSeconds", 3600},
      {kWorkflow, {{"ttl", "1h"}}, "/spec/ttlStrategy/secondsAfterCompletion", 3600},
      {kWorkflow, {{"queue", "q"}}, "/spec/podMetadata/labels/kueue.x-k8s.io~1queue-name", "q"},
      {kLeaders, {{"queue", "q"}}, label, "q"},
      {kModel, {{"queue", "q"}}, label, "q"},
      {kModel, {{"label", "l=m"}}, "/metadata/labels/l", "m"},
      {kModel, {{"node-selector", "a=b"}}, "/spec/predictor/nodeSelector/a", "b"},
      {kModel, {{"queue", "q"}}, "/spec/predictor/metadata", Json()},
      {kModel, {{"nodes", "3"}}, "/spec/predictor/minReplicas", 3},
  };
  for (const Row& row : rows) {
    INFO(row.manifest, " ", row.pointer);
    CHECK(value_at(rendered(row.manifest, row.flags).objects[0], row.pointer) == row.wanted);
  }
}

TEST_CASE("render: a flag that a kind cannot follow is rejected for the right reason") {
  const std::pair<std::pair<std::string, Flags>, std::string> rows[] = {
      {{kVolcano, {{"topology", "rack"}, {"queue", "q"}}},
       "--topology: only jobs in a Kueue queue can have it, and the queue of VolcanoJob is not Kueue's"},
      {{kVolcano, {{"time-limit", "1h"}}},
       "--time-limit: VolcanoJob has no field for it; begin the command with `timeout 3600`"},
      {{kLeaders, {{"image", "i"}}}, "--image: kml does not know this kind's pods, which it could apply to"},
      {{kModel, {{"image", "i"}}}, "spec.predictor: the pod has no container"},
  };
  for (const auto& [given, wanted] : rows) {
    const auto problems = problems_of([&] { rendered(given.first, given.second); });
    REQUIRE(problems.size() == 1);
    CHECK(problems[0] == wanted);
  }
}

TEST_CASE("render: the size of a job counts all of its pods, or names the kinds that it does not count") {
  const std::pair<std::string, std::string> rows[] = {
      {kRayJob, "9 pods, 16 GPUs in total"},
      {kJobSet, "6 pods × 2 GPUs"},
      {kVolcano + "\n---\n" + kLeaders + "\n---\n" + kModel,
       "1 pod × 2 GPUs; not counted: LeaderWorkerSet, InferenceService"},
  };
  for (const auto& [manifests, wanted] : rows) {
    const auto notes = rendered(manifests, {{"annotation", "a=b"}}).notes;
    REQUIRE(notes.size() == 1);
    CHECK(notes[0] == wanted);
  }
}

TEST_CASE("render: a note says that each attempt of a JobSet has the time limit") {
  for (const auto& [given, is_noted] : {std::pair(Flags{{"time-limit", "12h"}, {"retries", "3"}}, true),
                                        {Flags{{"time-limit", "12h"}}, false},
                                        {Flags{{"retries", "3"}}, false}}) {
    const auto notes = rendered(kJobSet, given).notes;
    const std::string note = "each attempt has the time limit of 12h, and there may be 4 attempts";
    CHECK((std::find(notes.begin(), notes.end(), note) != notes.end()) == is_noted);
  }
}

TEST_CASE("render: a TrainJob's parameters must have values that its server accepts") {
  for (const auto& [parameter, is_valid] : {std::pair("runtime=", false),
                                            {"runtime=mine", true},
                                            {"dataset=foo", false},
                                            {"dataset=hf://a/b", true},
                                            {"model=foo", false},
                                            {"model=s3://a/b", true},
                                            {"model=", true}}) {
    CAPTURE(parameter);
    const auto problems = problems_of([&] {
      render::render(spec::parse_settings(flags({{"name", "x"}, {"param", parameter}})),
                     render::Catalog({}).load("trainjob"));
    });
    CHECK(problems.empty() == is_valid);
  }
}

TEST_CASE("render: a note says that Open MPI does not pass on the variables of a Secret") {
  const auto notes = [](const std::string& implementation) {
    return render::render(spec::parse_settings(flags({{"template", "mpijob"},
                                                      {"name", "x"},
                                                      {"param", "implementation=" + implementation},
                                                      {"env-from", "keys"}}),
                                               {"mpirun", "train"}),
                          render::Catalog({}).load("mpijob"))
        .notes;
  };
  CHECK(
      notes("OpenMPI").front() ==
      "the ranks get the variables of --env-from keys only if mpirun passes each of them on: mpirun -x NAME");
  CHECK(notes("MPICH").front().find("--env-from") == std::string::npos);
}

}  // namespace flags_of_kinds_test
