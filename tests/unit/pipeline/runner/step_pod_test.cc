#include "pipeline/runner/step_pod.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"
#include "pipeline/runner/sent_log.h"

namespace step_pod_test {

using namespace kml;
using namespace kml::pipeline;

namespace {

Json pod_template() {
  return {{"spec",
           {{"containers", Json::array({{{"name", "main"},
                                         {"command", {"python", "train.py"}},
                                         {"args", {"--lr=$(LR)"}},
                                         {"terminationMessagePath", "/tmp/last"}}})}}}};
}

StepPod a_step() {
  return {"kml-step-1",
          {},
          {{"data", "abc", "/kml/data/in/data", {"part-a", "part-b"}}},
          {{"model", "folder", "/kml/data/out/model"}}};
}

std::string command_in(const Json& pod) {
  std::string text;
  for (const Json& word : pod["spec"]["containers"][0]["command"]) text += word.get<std::string>() + " ";
  return text;
}

bool reports(const Json& pod) {
  return command_in(pod).find("--report trees") != std::string::npos;
}

}  // namespace

TEST_CASE("step pod: kml-step runs the command with its arguments, and knows inputs and outputs") {
  Json job = {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"spec", {{"template", pod_template()}}}};
  put_into_pods(a_step(), job);
  const Json& pod = job["spec"]["template"];
  CHECK(command_in(pod) ==
        "/kml/step/kml-step --input data abc /kml/data/in/data --packed /kml/inputs --output folder model "
        "/kml/data/out/model --rank JOB_COMPLETION_INDEX --rank KML_STEP_RANK --message /tmp/last --report "
        "trees -- python train.py --lr=$(LR) ");
  CHECK_FALSE(pod["spec"]["containers"][0].contains("args"));
  const Json& volumes = pod["spec"]["volumes"];
  CHECK(volumes[0]["configMap"] == Json{{"name", "kml-step-1"}, {"defaultMode", 0555}});
  CHECK(volumes[2]["projected"]["sources"][1]["secret"] ==
        Json{{"name", "part-b"}, {"items", Json::array({{{"key", "part"}, {"path", "data/01"}}})}});
  CHECK(pod["spec"]["automountServiceAccountToken"] == false);
}

TEST_CASE("step pod: outputs stay on a claim, and inputs are read-only") {
  StepPod step = a_step();
  step.claim = "shared";
  step.inputs[0].secrets.clear();
  Json job = {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"spec", {{"template", pod_template()}}}};
  put_into_pods(step, job);
  const Json& pod = job["spec"]["template"];
  CHECK(command_in(pod).find("--report digests") != std::string::npos);
  CHECK(command_in(pod).find("--packed") == std::string::npos);
  const Json& mounts = pod["spec"]["containers"][0]["volumeMounts"];
  CHECK(mounts[2] == Json{{"name", "kml-store"}, {"mountPath", "/kml/store"}});
  CHECK(mounts[3] == Json{{"name", "kml-store"}, {"mountPath", "/kml/made"}, {"readOnly", true}});
}

TEST_CASE("step pod: with a bucket, the parts of kml-step-s3 are mounted, and only digests are reported") {
  StepPod step = a_step();
  step.inputs[0].secrets.clear();
  step.bucket = {.url = "s3://made/team",
                 .programs = {"s3-0", "s3-1"},
                 .authorities = "ca",
                 .variables = {"AWS_DEFAULT_REGION=eu-west-1"}};
  Json job = {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"spec", {{"template", pod_template()}}}};
  put_into_pods(step, job);
  const Json& pod = job["spec"]["template"];
  CHECK(command_in(pod).find(
            " --bucket s3://made/team /kml/step/s3 --variable AWS_DEFAULT_REGION=eu-west-1 ") !=
        std::string::npos);
  CHECK(command_in(pod).find("--report digests") != std::string::npos);
  CHECK(command_in(pod).find("--packed") == std::string::npos);
  const Json& sources = pod["spec"]["volumes"][0]["projected"]["sources"];
  const auto source = [](const char* name, const char* key, const char* path) {
    return Json{{"configMap", {{"name", name}, {"items", Json::array({{{"key", key}, {"path", path}}})}}}};
  };
  CHECK(sources == Json::array({{{"configMap", {{"name", "kml-step-1"}}}},
                                source("s3-0", "part", "s3/00"),
                                source("s3-1", "part", "s3/01"),
                                source("ca", "ca.pem", "ca.pem")}));
}

TEST_CASE("step pod: a claim that the pod already mounts does not get a second volume") {
  StepPod step = a_step();
  step.claim = "shared";
  Json job = {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"spec", {{"template", pod_template()}}}};
  Json& spec = job["spec"]["template"]["spec"];
  spec["volumes"].push_back({{"name", "mount"}, {"persistentVolumeClaim", {{"claimName", "shared"}}}});
  put_into_pods(step, job);
  int claims = 0;
  for (const Json& volume : spec["volumes"]) claims += volume.contains("persistentVolumeClaim");
  CHECK(claims == 1);
  CHECK(spec["containers"][0]["volumeMounts"][2] == Json{{"name", "mount"}, {"mountPath", "/kml/store"}});
}

TEST_CASE("step pod: of several pods, the first reports; the workers of an MPIJob are unchanged") {
  const auto job_of = [](const char* kind, const char* replicas, const char* first) {
    return Json{{"apiVersion", kind == std::string("MPIJob") ? "kubeflow.org/v2beta1" : "kubeflow.org/v1"},
                {"kind", kind},
                {"spec",
                 {{replicas,
                   {{first, {{"template", pod_template()}}}, {"Worker", {{"template", pod_template()}}}}}}}};
  };
  Json torch = job_of("PyTorchJob", "pytorchReplicaSpecs", "Master");
  put_into_pods(a_step(), torch);
  CHECK(reports(torch["spec"]["pytorchReplicaSpecs"]["Master"]["template"]));
  const Json& worker = torch["spec"]["pytorchReplicaSpecs"]["Worker"]["template"];
  CHECK_FALSE(reports(worker));
  CHECK(command_in(worker).starts_with("/kml/step/kml-step --input data"));
  CHECK(worker["spec"]["containers"][0]["env"][0]["name"] == "KML_STEP_RANK");

  Json mpi = job_of("MPIJob", "mpiReplicaSpecs", "Launcher");
  put_into_pods(a_step(), mpi);
  CHECK(reports(mpi["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]));
  CHECK(mpi["spec"]["mpiReplicaSpecs"]["Worker"]["template"] == pod_template());
}

TEST_CASE("step pod: a job whose command kml does not know is rejected") {
  Json job = {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"spec", {{"template", pod_template()}}}};
  job["spec"]["template"]["spec"]["containers"][0].erase("command");
  CHECK_THROWS_WITH_AS(put_into_pods(a_step(), job), "the job's container has no command", Error);
  Json train = {
      {"apiVersion", "trainer.kubeflow.org/v1alpha1"}, {"kind", "TrainJob"}, {"spec", Json::object()}};
  CHECK_THROWS_WITH_AS(put_into_pods(a_step(), train), "a step's job cannot be a TrainJob", Error);
}

TEST_CASE("step pod: if kml-step could not run, the errors of runc and of the kernel are explained") {
  CHECK(start_fault("exec /kml/step/kml-step: exec format error").find("processors") != std::string::npos);
  CHECK(start_fault("error during container init: exec: \"/kml/step/kml-step\": permission denied: unknown")
            .find("noexec") != std::string::npos);
  CHECK(
      start_fault("exit code 125\nkml-step: cannot create the folder /kml/store/v1/data/r: Permission denied")
          .find("fsGroup") != std::string::npos);
  CHECK(start_fault("exit code 1\nmkdir: /kml/store/x: Permission denied").empty());
  CHECK(start_fault("sh: train.py: permission denied").empty());
  CHECK(start_fault("exec /app: exec format error").empty());
}

}  // namespace step_pod_test
