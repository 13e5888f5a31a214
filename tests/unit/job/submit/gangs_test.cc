#include "job/submit/gangs.h"

#include <doctest/doctest.h>

#include "job/submit/gpu_claims.h"
#include "kml/job/views/kinds.h"
#include "support/fake_transport.h"

namespace gangs_test {

using namespace kml;
using namespace kml::job;

namespace {

constexpr const char* kGroups = "/apis/scheduling.k8s.io/v1beta1/namespaces/lab/podgroups";
constexpr const char* kClass = "/apis/resource.k8s.io/v1/deviceclasses/gpu.nvidia.com";

/// A submit of a job with these annotations.
SubmitPlan plan_of(const Json& annotations, const Json& pod_spec = Json::object()) {
  Json job = {{"apiVersion", "batch/v1"},
              {"kind", "Job"},
              {"metadata", {{"name", "bert"}, {"namespace", "lab"}, {"annotations", annotations}}},
              {"spec", {{"parallelism", 4}, {"completions", 4}}}};
  job["spec"]["template"]["spec"] = pod_spec;
  SubmitPlan plan;
  plan.submit_id = "1234";
  plan.objects = {job};
  return plan;
}

const Json kIsGang = {{"kml.dev/gang", "true"}};

Json refusal(int code, const char* reason, const std::string& message) {
  return {
      {"kind", "Status"}, {"status", "Failure"}, {"code", code}, {"reason", reason}, {"message", message}};
}

const Json* group_in(const SubmitPlan& plan) {
  return find(plan.objects[0], {"spec", "template", "spec", "schedulingGroup"});
}

}  // namespace

TEST_CASE("gangs: a job of several pods gets a PodGroup if the cluster serves PodGroups") {
  FakeTransport transport;
  kube::Client client(transport);
  SubmitPlan plan = plan_of(kIsGang, {{"priorityClassName", "urgent"}});
  transport.answer("POST", std::string(kGroups) + "?fieldManager=kml&fieldValidation=Strict&dryRun=All",
                   {{"kind", "PodGroup"}, {"metadata", {{"name", "bert-1234"}}}}, 201);
  use_gangs(client, plan, false);
  CHECK(*group_in(plan) == Json{{"podGroupName", "bert-1234"}});
  REQUIRE(plan.belongings.size() == 1);
  const Json& spec = plan.belongings[0].object["spec"];
  CHECK(spec["schedulingPolicy"] == Json{{"gang", {{"minCount", 4}}}});
  CHECK(spec["priorityClassName"] == "urgent");
  CHECK(plan.notes.empty());
  // A later submit of the recorded job does not use the group of the first.
  std::vector<Json> again = plan.objects;
  forget_groups(again);
  CHECK_FALSE(find(again[0], {"spec", "template", "spec", "schedulingGroup"}));
}

TEST_CASE("gangs: without PodGroups, the pods start one by one, and a note reports this once") {
  FakeTransport transport;
  kube::Client client(transport);
  std::string note;
  SUBCASE("not served") {
    transport.answer("POST", kGroups,
                     refusal(404, "NotFound", "the server could not find the requested resource"), 404);
    note = "the cluster does not serve PodGroups of scheduling.k8s.io/v1beta1";
  }
  SUBCASE("not allowed") {
    transport.answer(
        "POST", kGroups,
        refusal(403, "Forbidden", "podgroups.scheduling.k8s.io is forbidden: User \"ana\" cannot"), 403);
    note = "you may not create PodGroups in namespace lab";
  }
  SubmitPlan first = plan_of(kIsGang), second = plan_of(kIsGang);
  use_gangs(client, first, false);
  use_gangs(client, second, false);
  CHECK(first.notes == std::vector<std::string>{"the pods start one by one, as nodes have room: " + note});
  CHECK(second.notes.empty());
  for (const SubmitPlan* plan : {&first, &second}) {
    CHECK_FALSE(group_in(*plan));
    CHECK(plan->belongings.empty());
  }
}

TEST_CASE("gangs: no request is sent for jobs that need no PodGroup") {
  FakeTransport transport;
  kube::Client client(transport);
  SubmitPlan alone = plan_of(Json::object());
  SubmitPlan own = plan_of(kIsGang, {{"schedulingGroup", {{"podGroupName", "mine"}}}});
  SubmitPlan queued = plan_of(kIsGang);
  queued.objects[0]["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "lq";
  for (SubmitPlan* plan : {&alone, &own, &queued}) use_gangs(client, *plan, false);
  CHECK(transport.requests.empty());
  CHECK(*group_in(own) == Json{{"podGroupName", "mine"}});
}

TEST_CASE("gangs: an engine in the cluster needs rights to PodGroups only if its jobs get some") {
  FakeTransport transport;
  kube::Client client(transport);
  const std::vector<Json> jobs = {{{"kind", "Job"}, {"apiVersion", "batch/v1"}}, plan_of(kIsGang).objects[0]};
  std::vector<std::string> notes;
  SUBCASE("no gang") {
    CHECK_FALSE(needs_pod_groups(client, {jobs[0]}, "lab", notes));
    CHECK(transport.requests.empty());
  }
  SUBCASE("served") {
    transport.answer("POST", kGroups, {{"kind", "PodGroup"}, {"metadata", {{"name", "x"}}}}, 201);
    CHECK(needs_pod_groups(client, jobs, "lab", notes));
    CHECK(notes.empty());
  }
  SUBCASE("not served") {
    transport.answer("POST", kGroups,
                     refusal(404, "NotFound", "the server could not find the requested resource"), 404);
    CHECK_FALSE(needs_pod_groups(client, jobs, "lab", notes));
    CHECK(notes == std::vector<std::string>{"the pods start one by one, as nodes have room: the cluster does "
                                            "not serve PodGroups of scheduling.k8s.io/v1beta1"});
  }
}

TEST_CASE("GPU claims: a choice of GPUs is claimed if the cluster has the driver's DeviceClass") {
  FakeTransport transport;
  kube::Client client(transport);
  // the same expressions as from `--gpus h200|>=40Gi:2`
  const auto expressions = [](const Json& expression) { return Json{{"matchExpressions", {expression}}}; };
  const Json h200 = {
      {"key", "nvidia.com/gpu.product"}, {"operator", "In"}, {"values", {"NVIDIA-H200", "NVIDIA-H200-NVL"}}};
  const Json gke = {{"key", "cloud.google.com/gke-accelerator"},
                    {"operator", "In"},
                    {"values", Json::array({"nvidia-h200-141gb"})}};
  const Json memory = {
      {"key", "nvidia.com/gpu.memory"}, {"operator", "Gt"}, {"values", Json::array({"40959"})}};
  Json spec;
  Json& affinity = spec["affinity"]["nodeAffinity"];
  affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"] = {
      expressions(h200), expressions(gke), expressions(memory)};
  affinity["preferredDuringSchedulingIgnoredDuringExecution"] = {
      {{"weight", 100}, {"preference", expressions(h200)}},
      {{"weight", 100}, {"preference", expressions(gke)}}};
  spec["containers"] = Json::array(
      {{{"name", "main"},
        {"resources", {{"limits", {{"nvidia.com/gpu", 2}}}, {"requests", {{"nvidia.com/gpu", 2}}}}}}});
  SubmitPlan plan = plan_of({{"kml.dev/gpus", "h200|>=40Gi:2"}}, spec);
  SUBCASE("the cluster has the DeviceClass") {
    transport.answer("GET", kClass, {{"kind", "DeviceClass"}});
    use_gpu_claims(client, plan, false);
    CHECK(plan.notes.empty());
    const Json& pod = plan.objects[0]["spec"]["template"]["spec"];
    CHECK_FALSE(pod.contains("affinity"));
    CHECK(pod["containers"][0]["resources"] == Json{{"claims", Json::array({{{"name", "kml-gpus-2"}}})}});
    CHECK(pod["resourceClaims"] ==
          Json::array({{{"name", "kml-gpus-2"}, {"resourceClaimTemplateName", "bert-1234"}}}));
    CHECK(gpus_of_pod(pod) == 2);
    REQUIRE(plan.belongings.size() == 1);
    const Json& choices =
        plan.belongings[0].object["spec"]["spec"]["devices"]["requests"][0]["firstAvailable"];
    REQUIRE(choices.size() == 2);
    CHECK(choices[0]["name"] == "h200");
    CHECK(choices[0]["count"] == 2);
    CHECK(choices[1]["selectors"][0]["cel"]["expression"] ==
          "device.capacity[\"gpu.nvidia.com\"].memory.compareTo(quantity(\"40Gi\")) >= 0");
    // On the embedded server, a rerun of the recorded job selects nodes by labels again.
    std::vector<Json> again = plan.objects;
    forget_gpu_claims(again);
    CHECK(again[0]["spec"]["template"]["spec"]["affinity"] == spec["affinity"]);
    CHECK(again[0]["spec"]["template"]["spec"]["containers"] == spec["containers"]);
  }
  SUBCASE("the cluster has the DeviceClass, but the pod uses no GPUs, like an MPIJob's launcher") {
    Json& pod = plan.objects[0]["spec"]["template"]["spec"];
    pod["containers"][0].erase("resources");
    use_gpu_claims(client, plan, false);
    CHECK_FALSE(pod.contains("resourceClaims"));
    CHECK(gpus_of_pod(pod) == 0);
  }
  SUBCASE("the cluster does not have the DeviceClass") {
    transport.answer("GET", kClass, refusal(404, "NotFound", "deviceclasses \"gpu.nvidia.com\" not found"),
                     404);
    use_gpu_claims(client, plan, false);
    CHECK(plan.notes ==
          std::vector<std::string>{"--gpus h200|>=40Gi selects nodes by their labels: the cluster has no "
                                   "DeviceClass gpu.nvidia.com"});
    CHECK(plan.objects[0]["spec"]["template"]["spec"] == spec);
    CHECK(plan.belongings.empty());
  }
}

}  // namespace gangs_test
