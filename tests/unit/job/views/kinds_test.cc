#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"

#include <doctest/doctest.h>

#include <fstream>

#include "kml/job/control/control.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/job/views/find.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/why.h"
#include "support/fake_transport.h"
#include "support/owner.h"
#include "support/temporary_folder.h"

namespace kinds_test {

using namespace kml;
using namespace kml::job;

namespace {

Json parsed(const char* text) {
  return parse_json(text, "test");
}

/// The jobs as their controllers write them (mpi-operator v0.6, jobset v0.10, trainer v2.0).
Json job_of(const std::string& kind) {
  if (kind == "MPIJob")
    return parsed(R"({"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob",
      "metadata": {"name": "a", "namespace": "lab", "uid": "u"},
      "spec": {"runPolicy": {"backoffLimit": 0}, "mpiReplicaSpecs": {
        "Launcher": {"replicas": 1, "template": {"spec": {"containers": [{}]}}},
        "Worker": {"replicas": 2, "template": {"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": 4}}}]}}}}}})");
  if (kind == "JobSet")
    return parsed(R"({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
      "metadata": {"name": "a", "namespace": "lab", "uid": "u"},
      "spec": {"failurePolicy": {"maxRestarts": 0}, "replicatedJobs": [{"name": "node", "replicas": 2, "template":
        {"spec": {"parallelism": 3, "backoffLimit": 0, "template": {"spec": {"containers":
          [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}}}}]}})");
  if (kind == "InferenceService")
    return parsed(R"({"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService",
      "metadata": {"name": "a", "namespace": "lab", "uid": "u"},
      "spec": {"predictor": {"minReplicas": 2, "containers": [{"resources": {"limits": {"nvidia.com/gpu": 3}}}]},
        "transformer": {"containers": [{}]}}})");
  return parsed(R"({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob",
    "metadata": {"name": "a", "namespace": "lab", "uid": "u"},
    "spec": {"runtimeRef": {"name": "torch-distributed"},
      "trainer": {"numNodes": 2, "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}}}}})");
}

State state_with(Json job, const char* status) {
  job["status"] = parsed(status);
  return view_of_job(job).state;
}

}  // namespace

TEST_CASE("kinds: pods and GPUs of MPIJob, JobSet, TrainJob and InferenceService are counted") {
  CHECK(view_of_job(job_of("MPIJob")).pods == 3);
  CHECK(view_of_job(job_of("MPIJob")).gpus == 8);
  CHECK(view_of_job(job_of("JobSet")).pods == 6);
  CHECK(view_of_job(job_of("JobSet")).gpus == 6);
  CHECK(view_of_job(job_of("TrainJob")).pods == 2);
  CHECK(view_of_job(job_of("TrainJob")).gpus == 16);
  CHECK(view_of_job(job_of("InferenceService")).pods == 3);
  CHECK(view_of_job(job_of("InferenceService")).gpus == 6);
}

TEST_CASE("kinds: a change to a pod is stored even in a kind that has only a pod's spec, without metadata") {
  Json job = job_of("InferenceService");
  each_pod_template(job, [](Json& pod, int) { pod["spec"]["schedulerName"] = "own"; });
  CHECK(job["spec"]["predictor"]["schedulerName"] == "own");
  CHECK(!job["spec"]["predictor"].contains("metadata"));
}

TEST_CASE("kinds: the states of jobs follow from their status or suspension") {
  struct Row {
    const char *kind, *status;
    State state;
  };
  const Row rows[] = {
      {"MPIJob", R"({"conditions": [{"type": "Created", "status": "True"}]})", State::waiting},
      // An MPIJob's workers only wait for the launcher.
      {"MPIJob",
       R"({"conditions": [{"type": "Created", "status": "True"}], "replicaStatuses": {"Worker": {"active": 1}}})",
       State::waiting},
      {"MPIJob",
       R"({"conditions": [{"type": "Running", "status": "True"}],
           "replicaStatuses": {"Launcher": {"active": 1}, "Worker": {"active": 2}}})",
       State::running},
      {"MPIJob",
       R"({"conditions": [{"type": "Running", "status": "False"}, {"type": "Succeeded", "status": "True"}],
           "completionTime": "2026-01-01T00:00:00Z", "replicaStatuses": {"Launcher": {"succeeded": 1}}})",
       State::succeeded},
      {"MPIJob", R"({"conditions": [{"type": "Failed", "status": "True", "reason": "MPIJobFailed"}]})",
       State::failed},
      {"JobSet", R"({"replicatedJobsStatus": [{"name": "node", "ready": 0, "active": 2}]})", State::waiting},
      {"JobSet", R"({"replicatedJobsStatus": [{"name": "node", "ready": 1, "active": 2}]})", State::running},
      {"JobSet",
       R"({"conditions": [{"type": "Suspended", "status": "False"}, {"type": "Completed", "status": "True",
           "reason": "AllJobsCompleted"}], "terminalState": "Completed"})",
       State::succeeded},
      {"JobSet", R"({"conditions": [{"type": "Failed", "status": "True", "reason": "FailedJobs"}]})",
       State::failed},
      // When Kueue starts a job, this condition remains.
      {"TrainJob", R"({"conditions": [{"type": "Suspended", "status": "True"}],
           "jobsStatus": [{"name": "node", "ready": 1, "active": 1}]})",
       State::running},
      {"TrainJob", R"({"conditions": [{"type": "Complete", "status": "True", "reason": "JobsCompleted"}]})",
       State::succeeded},
      {"TrainJob", R"({"conditions": [{"type": "Failed", "status": "True", "reason": "JobsFailed"}]})",
       State::failed},
  };
  for (const Row& row : rows) {
    INFO(row.kind << " " << row.status);
    CHECK(state_with(job_of(row.kind), row.status) == row.state);
  }
  for (const char* kind : {"JobSet", "TrainJob"}) {
    Json job = job_of(kind);
    job["spec"]["suspend"] = true;
    CHECK(view_of_job(job).state == State::suspended);
  }
}

TEST_CASE("kinds: an MPIJob runs once its launcher has started, and its pods differ by their roles") {
  const auto pod = [](const char* role, const char* index, const char* phase) {
    Json labels = {{"training.kubeflow.org/job-role", role}};
    if (*index) labels["training.kubeflow.org/replica-index"] = index;
    return Json{{"kind", "Pod"},
                {"metadata",
                 {{"name", "a"},
                  {"labels", labels},
                  {"ownerReferences", *index ? controlled_by("a", "u", "kubeflow.org/v2beta1", "MPIJob")
                                             : controlled_by("a-launcher", "l")}}},
                {"status", {{"phase", phase}, {"startTime", "2026-01-01T00:00:00Z"}}}};
  };
  const Json worker = pod("worker", "1", "Running");
  CHECK(index_in_job(worker) == "worker-1");
  CHECK(index_in_job(pod("launcher", "", "Running")) == "launcher");
  struct Row {
    const char* launcher;  ///< its phase
    State state;
  };
  for (const Row& row :
       {Row{"", State::waiting},
        {"Pending", State::waiting},
        {"Running", State::running},
        // The launcher has ended, but the controller has neither marked the job nor started another launcher.
        {"Succeeded", State::running},
        {"Failed", State::running}}) {
    INFO(row.launcher);
    const Json launcher = pod("launcher", "", row.launcher);
    std::vector<const Json*> pods = {&worker};
    if (*row.launcher) pods.push_back(&launcher);
    const JobView view = view_of_job(job_of("MPIJob"), pods);
    CHECK(view.state == row.state);
    CHECK(view.started.has_value() == (row.state == State::running));
  }
}

TEST_CASE(
    "kinds: a job that succeeded shows all its pods, and how long they ran, whatever its status counts") {
  const Json pod = parsed(R"({"kind": "Pod", "metadata": {"name": "a-node-0-0"},
    "status": {"phase": "Succeeded", "startTime": "2026-01-01T00:00:00Z"}})");
  for (
      const auto& [kind, status] :
      {std::pair("TrainJob", R"({"conditions": [{"type": "Complete", "status": "True",
            "lastTransitionTime": "2026-01-01T00:00:05Z"}]})"),
       {"TrainJob",
        R"({"conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": "2026-01-01T00:00:05Z"}],
            "jobsStatus": [{"name": "node", "succeeded": 1}]})"},
       {"JobSet",
        R"({"conditions": [{"type": "Completed", "status": "True", "lastTransitionTime": "2026-01-01T00:00:05Z"}],
            "replicatedJobsStatus": [{"name": "node", "succeeded": 2}]})"},
       {"MPIJob",
        R"({"conditions": [{"type": "Succeeded", "status": "True", "lastTransitionTime": "2026-01-01T00:00:05Z"}],
            "startTime": "2026-01-01T00:00:00Z", "replicaStatuses": {"Launcher": {"succeeded": 1}}})"}}) {
    INFO(kind << " " << status);
    Json job = job_of(kind);
    job["status"] = parsed(status);
    const Json* pods[] = {&pod};
    const JobView view = view_of_job(job, pods);
    CHECK(view.succeeded == view.completions);
    REQUIRE(view.started);
    REQUIRE(view.finished);
    CHECK(*view.finished - *view.started == std::chrono::seconds(5));
  }
}

TEST_CASE("kinds: a part of a job is not a job") {
  FakeTransport transport;
  kube::Client client(transport);
  client.absent_kinds().set_all();
  const auto owned_by = [](Json job, const char* name, const char* api_version, const char* kind) {
    job["metadata"]["name"] = name;
    job["metadata"]["ownerReferences"] = Json::array(
        {{{"apiVersion", api_version}, {"kind", kind}, {"name", "a"}, {"uid", "u"}, {"controller", true}}});
    return job;
  };
  const Json job = parsed(R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "plain"}})");
  const auto answer = [&](const char* path, std::vector<Json> items) {
    transport.answer("GET", path, {{"items", std::move(items)}});
  };
  answer("/apis/batch/v1/namespaces/lab/jobs",
         {owned_by(job, "a-launcher", "kubeflow.org/v2beta1", "MPIJob"),
          owned_by(job, "a-node-0", "jobset.x-k8s.io/v1alpha2", "JobSet"),
          owned_by(job, "nightly-1", "batch/v1", "CronJob")});
  answer("/apis/kubeflow.org/v1/namespaces/lab/pytorchjobs", {});
  answer("/apis/kubeflow.org/v2beta1/namespaces/lab/mpijobs", {job_of("MPIJob")});
  answer("/apis/trainer.kubeflow.org/v1alpha1/namespaces/lab/trainjobs", {job_of("TrainJob")});
  answer("/apis/jobset.x-k8s.io/v1alpha2/namespaces/lab/jobsets",
         {owned_by(job_of("JobSet"), "a", "trainer.kubeflow.org/v1alpha1", "TrainJob")});
  std::string found;
  for (const Json& listed : list_jobs(client, "lab")) found += job_key(listed) + " ";
  CHECK(found == "Job/nightly-1 MPIJob/a TrainJob/a ");
}

TEST_CASE("kinds: a user who may not list rare kinds still sees the other jobs") {
  FakeTransport transport;
  kube::Client client(transport);
  for (const char* path : {"/apis/kubeflow.org/v1/namespaces/lab/pytorchjobs",
                           "/apis/kubeflow.org/v2beta1/namespaces/lab/mpijobs",
                           "/apis/trainer.kubeflow.org/v1alpha1/namespaces/lab/trainjobs",
                           "/apis/jobset.x-k8s.io/v1alpha2/namespaces/lab/jobsets"})
    transport.answer("GET", path, {{"kind", "Status"}, {"reason", "Forbidden"}}, 403);
  transport.answer("GET", "/apis/batch/v1/namespaces/lab/jobs",
                   {{"items", Json::array({{{"kind", "Job"}}})}});
  for (const api::ResourceKind* kind : described_resources())
    transport.answer("GET", kind->path("lab"), {{"kind", "Status"}, {"reason", "NotFound"}}, 404);
  CHECK(list_jobs(client, "lab").size() == 1);
}

TEST_CASE("kinds: kml remembers that the server lacks a kind that only a file describes") {
  const api::ResourceKind& ray = *api::find_kind("ray.io/v1", "RayJob");
  const api::ResourceKind& volcano = *api::find_kind("batch.volcano.sh/v1alpha1", "Job");
  kube::AbsentKinds absent;
  CHECK_FALSE(absent.has(ray, "lab"));
  absent.add(ray, "lab", 404);
  absent.add(volcano, "lab", 403);
  absent.add(*job_kinds()[0], "lab", 404);
  CHECK(absent.has(ray, "lab"));
  CHECK(absent.has(ray, ""));
  CHECK(absent.has(volcano, "lab"));
  CHECK_FALSE(absent.has(volcano, "other"));  // another namespace may be readable
  CHECK_FALSE(absent.has(*job_kinds()[0], "lab"));
  absent.forget(ray);
  CHECK_FALSE(absent.has(ray, "lab"));
}

TEST_CASE("kinds: the kinds that a server lacks are kept in a file; a damaged file is ignored") {
  const api::ResourceKind& ray = *api::find_kind("ray.io/v1", "RayJob");
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "kinds" / "server";
  const auto read = [&] {
    kube::AbsentKinds absent;
    absent.keep_in(file);
    return absent.has(ray, "lab");
  };
  kube::AbsentKinds first;
  first.keep_in(file);
  first.add(ray, "lab", 404);
  CHECK(read());
  for (const char* damaged : {"", "[", "[1]", R"({"ray.io/v1 RayJob *": "soon"})",
                              R"({"ray.io/v1 RayJob *": 1})", R"({"ray.io/v1 RayJob *": 99999999999})"}) {
    std::ofstream(file) << damaged;
    CHECK_MESSAGE(!read(), damaged);
  }
}

TEST_CASE("kinds: cancel ends the job with its pods if possible; otherwise, it suspends the job") {
  FakeTransport transport;
  kube::Client client(transport);
  const char* pods = "/api/v1/namespaces/lab/pods";
  const auto patched = [&](const char* path) {
    for (const http::Request& request : transport.requests)
      if (request.method == "PATCH" && request.path.starts_with(path)) return parsed(request.body.c_str());
    return Json();
  };
  const auto item = [](Json object, const Json& controllers) {
    object["metadata"]["ownerReferences"] = controllers;
    return Json{{"items", Json::array({object})}};
  };
  SUBCASE("JobSet") {
    const char* path = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/lab/jobsets/a";
    const Json own_job = parsed(R"({"metadata": {"name": "a-node-0", "uid": "n"}})");
    const Json pod = parsed(R"({"metadata": {"name": "p", "namespace": "lab",
      "labels": {"jobset.sigs.k8s.io/jobset-name": "a"}}, "status": {"phase": "Running"}})");
    transport.answer("GET", pods, item(pod, controlled_by("a-node-0", "n")));
    transport.answer("GET", "/apis/batch/v1/namespaces/lab/jobs",
                     item(own_job, controlled_by("a", "u", "jobset.x-k8s.io/v1alpha2", "JobSet")));
    transport.answer("PATCH", path, job_of("JobSet"));
    transport.answer("PATCH", "/api/v1/namespaces/lab/pods/p", {{"kind", "Pod"}});
    CHECK(cancel(client, job_of("JobSet")) == Cancel::done);
    CHECK_FALSE(patched(path).contains("spec"));
    CHECK(patched("/api/v1/namespaces/lab/pods/p")["spec"]["activeDeadlineSeconds"] == 1);
  }
  SUBCASE("JobSet with restarts") {
    Json job = job_of("JobSet");
    job["spec"]["failurePolicy"]["maxRestarts"] = 2;
    const char* path = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/lab/jobsets/a";
    transport.answer("PATCH", path, job);
    CHECK(cancel(client, job) == Cancel::done);
    CHECK(patched(path)["spec"] == Json{{"suspend", true}});
  }
  SUBCASE("TrainJob") {
    const char* path = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/lab/trainjobs/a";
    transport.answer("PATCH", path, job_of("TrainJob"));
    CHECK(cancel(client, job_of("TrainJob")) == Cancel::done);
    CHECK(patched(path)["spec"] == Json{{"suspend", true}});
  }
  SUBCASE("MPIJob whose launcher does not run") {
    const char* path = "/apis/kubeflow.org/v2beta1/namespaces/lab/mpijobs/a";
    Json items = {{"items", Json::array()}};
    SUBCASE("no worker runs either") {}
    SUBCASE("a worker runs") {
      items = item(parsed(R"({"metadata": {"name": "a-worker-0", "namespace": "lab", "labels":
        {"training.kubeflow.org/job-name": "a", "training.kubeflow.org/job-role": "worker"}},
        "status": {"phase": "Running"}})"),
                   controlled_by("a", "u", "kubeflow.org/v2beta1", "MPIJob"));
    }
    transport.answer("GET", pods, items);
    transport.answer("PATCH", path, job_of("MPIJob"));
    CHECK(cancel(client, job_of("MPIJob")) == Cancel::done);
    CHECK(patched(path)["spec"]["runPolicy"] == Json{{"backoffLimit", 0}, {"suspend", true}});
  }
}

}  // namespace kinds_test
