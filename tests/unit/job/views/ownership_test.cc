#include "kml/job/views/ownership.h"

#include <doctest/doctest.h>

#include "kml/job/views/find.h"
#include "kml/kube/objects/labels.h"
#include "kml/serve/model/rollout.h"
#include "support/fake_transport.h"
#include "support/owner.h"

namespace ownership_test {

using namespace kml;
using namespace kml::job;
using namespace kml::pod;
using namespace kml::serve;

namespace {

const std::string kBatch = "batch/v1", kTraining = "kubeflow.org/v1", kMpi = "kubeflow.org/v2beta1",
                  kTrainer = "trainer.kubeflow.org/v1alpha1", kSets = "jobset.x-k8s.io/v1alpha2";
const std::string kOfJob = "job-name", kOfTraining = "training.kubeflow.org/job-name",
                  kOfSet = "jobset.sigs.k8s.io/jobset-name";

/// An object of namespace "team", whose uid is "uid of NAME".
Json object(const std::string& api_version, const std::string& kind, const std::string& name,
            Json controller = Json::array()) {
  return {{"apiVersion", api_version},
          {"kind", kind},
          {"metadata",
           {{"name", name},
            {"namespace", "team"},
            {"uid", "uid of " + name},
            {"ownerReferences", std::move(controller)}}}};
}

Json pod(const std::string& label, Json controller) {
  Json pod = object("v1", "Pod", "p", std::move(controller));
  pod["metadata"]["labels"][label] = "bert";
  return pod;
}

struct Fixture {
  bool has(const Json& job, const Json& pod) { return ownership.has(client, job, pod); }
  void serve(const std::string& path, const Json& found) { transport.answer("GET", path, found); }
  void serve_list(const std::string& path, const std::vector<Json>& items) {
    transport.answer("GET", path, {{"metadata", Json::object()}, {"items", items}});
  }

  FakeTransport transport;
  kube::Client client{transport};
  Ownership ownership;
};

const std::string kJobs = "/apis/batch/v1/namespaces/team/jobs";

}  // namespace

TEST_CASE_FIXTURE(Fixture, "ownership: neither labels nor the controller's name make a pod part of a job") {
  const Json job = object(kBatch, "Job", "bert"), training = object(kTraining, "PyTorchJob", "bert");
  CHECK(has(job, pod(kOfJob, controlled_by("bert", "uid of bert"))));
  CHECK(has(training, pod(kOfTraining, controlled_by("bert", "uid of bert", kTraining, "PyTorchJob"))));
  Json half_owned = pod(kOfJob, controlled_by("bert", "uid of bert"));
  half_owned["metadata"]["ownerReferences"][0]["controller"] = false;
  const Json strangers[] = {
      pod(kOfJob, Json::array()),
      pod(kOfJob, controlled_by("bert", "uid of an earlier bert")),
      pod(kOfJob, controlled_by("mine", "uid of mine")),
      pod(kOfJob, controlled_by("bert", "uid of bert", "batch.volcano.sh/v1alpha1", "Job")),
      pod(kOfJob, controlled_by("bert", "uid of set", "apps/v1", "ReplicaSet")),
      half_owned,
  };
  for (const Json& stranger : strangers) {
    CAPTURE(stranger.dump());
    CHECK_FALSE(has(job, stranger));
    CHECK_FALSE(has(training, stranger));
  }
}

TEST_CASE_FIXTURE(Fixture,
                  "ownership: objects between a job and its pods are read once, and identified by uid") {
  const Json set = object(kSets, "JobSet", "bert"),
             owned_by_set = controlled_by("bert", "uid of bert", kSets, "JobSet");
  const std::string jobs_of_set = kJobs + "?labelSelector=jobset.sigs.k8s.io%2Fjobset-name%3Dbert&limit=500";
  serve_list(jobs_of_set,
             {object(kBatch, "Job", "bert-node-0", owned_by_set),
              object(kBatch, "Job", "bert-node-1", owned_by_set), object(kBatch, "Job", "bert-mine-0")});
  CHECK(has(set, pod(kOfSet, controlled_by("bert-node-0", "uid of bert-node-0"))));
  CHECK(has(set, pod(kOfSet, controlled_by("bert-node-1", "uid of bert-node-1"))));
  CHECK_FALSE(has(set, pod(kOfSet, controlled_by("bert-mine-0", "uid of bert-mine-0"))));
  CHECK_FALSE(has(set, pod(kOfSet, controlled_by("mine", "uid of mine"))));
  // A Job that was created later.
  serve_list(jobs_of_set, {object(kBatch, "Job", "bert-node-2", owned_by_set)});
  CHECK(has(set, pod(kOfSet, controlled_by("bert-node-2", "uid of bert-node-2"))));
}

TEST_CASE_FIXTURE(Fixture, "ownership: a TrainJob is found from its pods, through its JobSet and Job") {
  const Json train_job = object(kTrainer, "TrainJob", "bert");
  Json set = object(kSets, "JobSet", "bert", controlled_by("bert", "uid of bert", kTrainer, "TrainJob"));
  set["metadata"]["uid"] = "uid of set";
  serve_list(kJobs,
             {object(kBatch, "Job", "bert-node-0", controlled_by("bert", "uid of set", kSets, "JobSet"))});
  serve("/apis/jobset.x-k8s.io/v1alpha2/namespaces/team/jobsets/bert", set);
  const Json own = pod(kOfSet, controlled_by("bert-node-0", "uid of bert-node-0"));
  CHECK(has(train_job, own));
  Json another = train_job;
  another["metadata"]["uid"] = "uid of another";
  CHECK_FALSE(has(another, own));
}

TEST_CASE_FIXTURE(Fixture, "ownership: an MPIJob owns its workers and its launcher's Job") {
  const Json job = object(kMpi, "MPIJob", "bert"),
             owner = controlled_by("bert", "uid of bert", kMpi, "MPIJob");
  CHECK(has(job, pod(kOfTraining, owner)));
  serve(kJobs + "/bert-launcher", object(kBatch, "Job", "bert-launcher", owner));
  CHECK(has(job, pod(kOfTraining, controlled_by("bert-launcher", "uid of bert-launcher"))));
  SUBCASE("a deleted launcher owns nothing") {
    transport.answer("GET", kJobs + "/bert-launcher",
                     {{"kind", "Status"}, {"reason", "NotFound"}, {"code", 404}}, 404);
    CHECK_FALSE(has(job, pod(kOfTraining, controlled_by("bert-launcher", "uid of an earlier one"))));
  }
}

TEST_CASE_FIXTURE(Fixture, "ownership: controllers that own each other belong to no job") {
  const Json set = object(kSets, "JobSet", "bert");
  Json circle = object(kBatch, "Job", "bert-node-0", controlled_by("bert-node-0", "uid of bert-node-0"));
  serve_list(kJobs, {circle});
  CHECK_FALSE(has(set, pod(kOfSet, controlled_by("bert-node-0", "uid of bert-node-0"))));
}

TEST_CASE_FIXTURE(Fixture, "ownership: pods_of() leaves out pods of other owners") {
  const Json job = object(kBatch, "Job", "bert");
  Json own = pod(kOfJob, controlled_by("bert", "uid of bert")), stranger = pod(kOfJob, Json::array());
  serve_list("/api/v1/namespaces/team/pods?labelSelector=job-name%3Dbert&limit=500", {stranger, own});
  CHECK(pods_of(client, job) == std::vector<Json>{own});
}

TEST_CASE_FIXTURE(Fixture, "ownership: the ranks of a served model are the pods of its Deployment") {
  const std::string apps = "apps/v1", sets = "/apis/apps/v1/namespaces/team/replicasets/";
  const auto of_set = [&](const std::string& name) {
    return controlled_by(name, "uid of " + name, apps, "ReplicaSet");
  };
  const auto running = [](const std::string& name, const Json& owners) {
    Json pod = object("v1", "Pod", name, owners);
    pod["spec"]["containers"] = {{{"name", "main"}}};
    pod["status"]["phase"] = "Running";
    return pod;
  };
  Json deployment = object(apps, "Deployment", "model");
  deployment["metadata"]["labels"][api::kServe] = "model";
  serve("/apis/apps/v1/namespaces/team/deployments/model", deployment);
  serve(sets + "model-1",
        object(apps, "ReplicaSet", "model-1", controlled_by("model", "uid of model", apps, "Deployment")));
  serve(sets + "mine-1",
        object(apps, "ReplicaSet", "mine-1", controlled_by("model", "uid of mine", apps, "Deployment")));
  serve_list("/api/v1/namespaces/team/pods",
             {running("stranger", Json::array()), running("mine-1-a", of_set("mine-1")),
              running("model-1-a", of_set("model-1")),
              running("direct", controlled_by("model", "another uid", apps, "Deployment")),
              running("unknown", controlled_by("model", "u1", "evil.example/v1", "Lord")),
              running("secret", controlled_by("model", "u2", "v1", "Secret"))});
  for (const auto& [path, code] :
       {std::pair("/apis/evil.example/v1", 404), {"/api/v1/namespaces/team/secrets/model", 403}})
    transport.answer("GET", path, {{"kind", "Status"}, {"code", code}}, code);
  const std::vector<RunningRank> ranks = served_ranks(client, "team", "model", "", "");
  REQUIRE(ranks.size() == 1);
  CHECK(ranks[0].pod == "model-1-a");
}

TEST_CASE_FIXTURE(Fixture, "ownership: pods with the labels of a model that is not served are not ranks") {
  for (const char* path : {"/apis/apps/v1/namespaces/team/deployments/model",
                           "/apis/serving.kserve.io/v1beta1/namespaces/team/inferenceservices/model"})
    transport.answer("GET", path, {{"kind", "Status"}, {"reason", "NotFound"}, {"code", 404}}, 404);
  CHECK(served_ranks(client, "team", "model", "", "").empty());
}

TEST_CASE("ownership: in a table, a pod belongs to the JobSet or MPIJob that created its Job") {
  const auto key = [](const std::string& label, const std::string& controller) {
    return job_key_of_pod(pod(label, controlled_by(controller, "u")));
  };
  CHECK(key(kOfSet, "bert-node-0") == "JobSet/bert");
  CHECK(key(kOfSet, "mine") == "Job/mine");
  CHECK(key(kOfTraining, "bert-launcher") == "MPIJob/bert");
  CHECK(key(kOfTraining, "mine") == "Job/mine");
  CHECK(job_key_of_pod(pod(kOfJob, Json::array())).empty());
  CHECK(pod_selector(object(kMpi, "MPIJob", "a")) == "training.kubeflow.org/job-name=a");
  CHECK(pod_selector(object(kTrainer, "TrainJob", "a")) == "jobset.sigs.k8s.io/jobset-name=a");
}

}  // namespace ownership_test
