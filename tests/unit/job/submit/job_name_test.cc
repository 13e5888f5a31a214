#include "job/submit/job_name.h"

#include <doctest/doctest.h>

#include <string>

#include "kml/base/error.h"

namespace job_name_test {

using namespace kml;

namespace {

Json job(const char* api_version, const char* kind, const std::string& name, const char* spec = "{}") {
  return {{"apiVersion", api_version},
          {"kind", kind},
          {"metadata", {{"name", name}}},
          {"spec", Json::parse(spec)}};
}

/// The fix of the error; empty if it has none.
std::string fix(const Json& object) {
  try {
    job::check_job_names({object});
    return {};
  } catch (const Error& error) {
    CHECK(error.code == ErrorCode::usage);
    CHECK(error.message.find("would never start") != std::string::npos);
    return error.fix;
  }
}

}  // namespace

TEST_CASE("job name: leaves room in a DNS label for what a controller appends") {
  struct Row {
    const char *api_version, *kind, *spec;
    size_t limit;
  };
  const Row rows[] = {
      {"batch/v1", "Job", "{}", 63},
      {"batch/v1", "Job", R"({"completionMode": "Indexed", "completions": 200})", 63 - 4},
      {"batch/v1", "CronJob", "{}", 52},
      {"batch/v1", "CronJob",
       R"({"jobTemplate": {"spec": {"completionMode": "Indexed", "completions": 200}}})", 52 - 4},
      {"apps/v1", "StatefulSet", "{}", 52},
      {"batch.volcano.sh/v1alpha1", "Job",
       R"({"plugins": {"svc": []}, "tasks": [{"name": "ps"}, {"name": "worker", "replicas": 11}]})", 63 - 10},
      {"kubeflow.org/v1", "PyTorchJob", R"({"pytorchReplicaSpecs": {"Master": {"replicas": 1}}})", 63 - 9},
      {"kubeflow.org/v1", "PyTorchJob",
       R"({"pytorchReplicaSpecs": {"Master": {}, "Worker": {"replicas": 101}}})", 63 - 11},
      {"kubeflow.org/v2beta1", "MPIJob",
       R"({"mpiReplicaSpecs": {"Launcher": {}, "Worker": {"replicas": 2}}})", 63 - 9},
      {"kubeflow.org/v2beta1", "MPIJob",
       R"({"mpiReplicaSpecs": {"Launcher": {}, "Worker": {"replicas": 11}}})", 63 - 10},
      {"kubeflow.org/v1", "TFJob", R"({"tfReplicaSpecs": {"PS": {}, "Evaluator": {"replicas": 2}}})",
       63 - 12},
      {"kubeflow.org/v1", "JAXJob", R"({"jaxReplicaSpecs": {"Worker": {"replicas": 11}}})", 63 - 10},
      {"ray.io/v1", "RayCluster", "{}", 53},
      {"ray.io/v1", "RayJob", "{}", 47},
      {"jobset.x-k8s.io/v1alpha2", "JobSet",
       R"({"replicatedJobs": [{"name": "node", "replicas": 1, "template": {"spec": {"completions": 11}}}]})",
       63 - 10},
      {"trainer.kubeflow.org/v1alpha1", "TrainJob", R"({"trainer": {"numNodes": 4}})", 63 - 9},
  };
  for (const Row& row : rows) {
    CAPTURE(row.kind);
    const auto named = [&](const std::string& name) {
      return job(row.api_version, row.kind, name, row.spec);
    };
    CHECK(fix(named(std::string(row.limit, 'a'))).empty());
    if (row.limit < 63)
      CHECK(fix(named(std::string(row.limit + 1, 'a'))) ==
            "use another name, such as " + std::string(row.limit, 'a'));
    const bool needs_letter =
        std::string(row.api_version) != "batch/v1" && std::string(row.kind) != "StatefulSet";
    CHECK(fix(named("7b-llama")) == (needs_letter ? "use another name, such as job-7b-llama" : ""));
  }
  CHECK(fix(job("v1", "ConfigMap", "7b")).empty());
  CHECK(fix(job("batch/v1", "Job", "")).empty());
}

TEST_CASE("job name: a Service's name is checked before the objects beside it are created") {
  const auto message_of = [](const std::vector<Json>& objects) -> std::string {
    try {
      job::check_job_names(objects);
      return {};
    } catch (const Error& error) {
      return error.message + "; " + error.fix;
    }
  };
  const Json deployment = job("apps/v1", "Deployment", "9c");
  CHECK(message_of({deployment, job("v1", "Service", "9c")}) ==
        "the Service \"9c\" cannot be created; use another name, such as job-9c");
  CHECK(message_of({deployment, job("v1", "Service", "c9")}).empty());
  CHECK(message_of({job("serving.knative.dev/v1", "Service", "9c")}).empty());
}

}  // namespace job_name_test
