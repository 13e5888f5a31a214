#include "job/submit/gpu_claims.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "job/submit/additions.h"
#include "job/submit/gangs.h"
#include "kml/job/views/kinds.h"
#include "support/fake_transport.h"
#include "support/settings.h"

namespace gpu_claims_test {

using namespace kml;
using namespace kml::job;

namespace {

constexpr const char* kClass = "/apis/resource.k8s.io/v1/deviceclasses/gpu.nvidia.com";
constexpr const char* kGroups = "/apis/scheduling.k8s.io/v1beta1/namespaces/lab/podgroups";

using Flags = std::vector<std::pair<std::string, std::string>>;

SubmitPlan planned(const Flags& settings, std::optional<std::vector<Json>> manifests = {},
                   bool claims_gpus = true) {
  SubmitRequest request;
  request.settings = flags(settings);
  if (!manifests) {
    request.settings.push_back({"image", "i", {}});
    request.settings.push_back({"name", "dm", {}});
    request.command = {"train"};
  }
  request.manifests = std::move(manifests);
  request.namespace_name = "lab";
  request.claims_gpus = claims_gpus;
  std::istringstream input;
  return plan_submit(request, input);
}

/// The plan as a cluster with the DeviceClass of NVIDIA's driver gets it.
void claim(SubmitPlan& plan, bool is_asked = true) {
  FakeTransport transport;
  kube::Client client(transport);
  if (is_asked) transport.answer("GET", kClass, {{"kind", "DeviceClass"}});
  use_gpu_claims(client, plan, false);
}

/// The objects of a submit that a cluster with the DeviceClass has accepted.
std::vector<Json> sent(const std::string& gpus, const Flags& more = {}) {
  Flags settings = more;
  settings.emplace_back("gpus", gpus);
  SubmitPlan plan = planned(settings);
  claim(plan);
  return all_objects(plan);
}

std::vector<Json> jobs_in(const std::vector<Json>& objects) {
  std::vector<Json> jobs;
  for (const Json& object : objects)
    if (is_job(object)) jobs.push_back(object);
  return jobs;
}

const Json& pod_of(const Json& job) {
  return object_at(job, {"spec", "template", "spec"});
}

/// "2 h100|a100": what the only claim of the plan asks for; empty without a claim.
std::string claimed(const SubmitPlan& plan) {
  std::string text;
  for (const Belonging& belonging : plan.belongings) {
    const Json& request = array_at(belonging.object, {"spec", "spec", "devices", "requests"}).at(0);
    std::string names;
    int64_t count = 0;
    for (const Json& choice : array_at(request, {"firstAvailable"})) {
      names += (names.empty() ? "" : "|") + string_at(choice, {"name"});
      count = int_at(choice, {"count"});
    }
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + names;
  }
  return text;
}

}  // namespace

TEST_CASE("GPU claims: --gpus replaces the choice of an earlier submit, and its claim") {
  struct Case {
    std::string gpus;     // of the second submit; empty without the flag
    std::string claimed;  // what it claims; empty without a claim
    std::string annotation;
    int64_t resource;  // how many nvidia.com/gpu its container requests
    std::string note;
  };
  const std::vector<Case> cases = {{"", "8 h100|a100", "h100|a100:8", 0, ""},
                                   {"2", "2 h100|a100", "h100|a100:2", 0, "1 pod × 2 GPUs"},
                                   {"h100:4", "", "", 4, "1 pod × 4 GPUs"},
                                   {"a100|l4:4", "4 a100|l4", "a100|l4:4", 0, "1 pod × 4 GPUs"},
                                   {"nvidia.com/gpu:3", "", "", 3, "1 pod × 3 GPUs"},
                                   {"0", "", "", 0, ""}};
  for (const bool was_claimed : {false, true})
    for (const Case& each : cases) {
      CAPTURE(was_claimed);
      CAPTURE(each.gpus);
      std::vector<Json> before =
          was_claimed ? jobs_in(sent("h100|a100:8")) : planned({{"gpus", "h100|a100:8"}}).objects;
      SubmitPlan plan = planned(each.gpus.empty() ? Flags{} : Flags{{"gpus", each.gpus}}, std::move(before));
      claim(plan, !each.claimed.empty());
      REQUIRE(plan.objects.size() == 1);
      CHECK(claimed(plan) == each.claimed);
      CHECK(string_at(plan.objects[0], {"metadata", "annotations", "kml.dev/gpus"}) == each.annotation);
      const Json& pod = pod_of(plan.objects[0]);
      const Json& container = array_at(pod, {"containers"}).at(0);
      CHECK(int_at(container, {"resources", "limits", "nvidia.com/gpu"}) == each.resource);
      CHECK(pod.contains("resourceClaims") == !each.claimed.empty());
      CHECK(object_at(container, {"resources"}).contains("claims") == !each.claimed.empty());
      if (!each.note.empty()) {
        REQUIRE(!plan.notes.empty());
        CHECK(plan.notes[0] == each.note);
      }
    }
}

TEST_CASE("GPU claims: GPUs that were edited in the manifest are claimed as they are now") {
  std::vector<Json> jobs = planned({{"gpus", "h100|a100:8"}}).objects;
  Json& pod = jobs[0]["spec"]["template"]["spec"];
  std::string wanted;
  int64_t resource = 0;
  SUBCASE("another number") {
    for (const char* side : {"requests", "limits"})
      pod["containers"][0]["resources"][side]["nvidia.com/gpu"] = 4;
    wanted = "4 h100|a100";
  }
  SUBCASE("no type") {
    pod.erase("affinity");
    resource = 8;
  }
  SUBCASE("another type") {
    Json& terms = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
                     ["nodeSelectorTerms"];
    terms = Json::array({{{"matchExpressions", Json::array({{{"key", "nvidia.com/gpu.product"},
                                                             {"operator", "In"},
                                                             {"values", Json::array({"NVIDIA-L4"})}}})}}});
    resource = 8;
  }
  SubmitPlan plan = planned({}, std::move(jobs));
  claim(plan, !wanted.empty());
  CHECK(claimed(plan) == wanted);
  CHECK(string_at(plan.objects[0], {"metadata", "annotations", "kml.dev/gpus"}).empty() == wanted.empty());
  CHECK(int_at(array_at(pod_of(plan.objects[0]), {"containers"}).at(0),
               {"resources", "limits", "nvidia.com/gpu"}) == resource);
}

TEST_CASE("GPU claims: each number of GPUs has its own template, and each container its own claim") {
  std::vector<Json> jobs = planned({{"gpus", "h100|a100:8"}}).objects;
  Json& containers = jobs[0]["spec"]["template"]["spec"]["containers"];
  for (const char* name : {"same", "less"}) {
    containers.push_back(containers[0]);
    containers.back()["name"] = name;
  }
  containers.back()["resources"] = {{"limits", {{"nvidia.com/gpu", 2}}}};
  const Json before = containers;
  SubmitPlan plan = planned({}, std::move(jobs));
  claim(plan);
  CHECK(claimed(plan) == "8 h100|a100, 2 h100|a100");
  const Json& pod = pod_of(plan.objects[0]);
  std::vector<std::string> names;
  for (const Json& each : array_at(pod, {"resourceClaims"})) names.push_back(string_at(each, {"name"}));
  CHECK(names == std::vector<std::string>{"kml-gpus-8", "kml-gpus-8-1", "kml-gpus-2"});
  CHECK(gpus_of_pod(pod) == 18);
  forget_gpu_claims(plan.objects);
  CHECK(gpus_of_pod(pod_of(plan.objects[0])) == 18);
  CHECK_FALSE(pod_of(plan.objects[0]).contains("resourceClaims"));
}

TEST_CASE("GPU claims: each alternative has its own name") {
  SubmitPlan plan = planned({{"gpus", "NVIDIA-H100.X|NVIDIA-H100-X|NVIDIA-H100_X:1"}});
  claim(plan);
  CHECK(claimed(plan) == "1 nvidia-h100-x|nvidia-h100-x-1|nvidia-h100-x-2");
  SubmitPlan same_nodes = planned({{"gpus", ">=40Gi|>=40960Mi:1"}});
  claim(same_nodes);
  CHECK(claimed(same_nodes) == "1 40gi|40960mi");
}

TEST_CASE("GPU claims: a user's own claim stays when kml's claim is undone") {
  std::vector<Json> jobs = planned({{"gpus", "h100|a100:8"}}).objects;
  Json& pod = jobs[0]["spec"]["template"]["spec"];
  const Json own = {{"name", "nic"}};
  pod["resourceClaims"] = Json::array({{{"name", "nic"}, {"resourceClaimTemplateName", "nic"}}});
  pod["containers"][0]["resources"]["claims"] = Json::array({own});
  SubmitPlan plan = planned({}, std::move(jobs));
  claim(plan);
  forget_gpu_claims(plan.objects);
  const Json& after = pod_of(plan.objects[0]);
  CHECK(array_at(after, {"resourceClaims"}).size() == 1);
  CHECK(array_at(array_at(after, {"containers"}).at(0), {"resources", "claims"}) == Json::array({own}));
}

TEST_CASE("GPU claims: pods that cannot have a claim select nodes by labels, and a note says so") {
  struct Case {
    Flags settings;
    bool may_claim;
    std::string note;  // after the part that all notes have; empty if the pods claim GPUs
  };
  const std::vector<Case> cases = {
      {{{"template", "trainjob"}}, true, "a TrainJob has no field for claims"},
      {{{"template", "serve"}}, true, ""},
      {{{"template", "job"}}, false, "only `kml submit`, `kml rerun` and `kml dev` claim GPUs"},
      {{{"template", "serve"}}, false, "only `kml submit`, `kml rerun` and `kml dev` claim GPUs"}};
  for (const Case& each : cases) {
    CAPTURE(each.settings[0].second);
    CAPTURE(each.may_claim);
    Flags settings = each.settings;
    settings.emplace_back("gpus", "h100|a100:8");
    SubmitPlan plan = planned(settings, {}, each.may_claim);
    if (each.may_claim) claim(plan, each.note.empty());
    CHECK(plan.belongings.size() == (each.note.empty() ? 1 : 0));
    const std::string note = "--gpus h100|a100 selects nodes by their labels: " + each.note;
    CHECK((std::find(plan.notes.begin(), plan.notes.end(), note) != plan.notes.end()) == !each.note.empty());
  }
}

TEST_CASE("GPU claims: a TrainJob forgets the GPU types of an earlier submit") {
  const Flags choice = {{"template", "trainjob"}, {"gpus", "h100|a100:8"}};
  SubmitPlan plan = planned({{"gpus", "0"}}, planned(choice).objects);
  CHECK(plan.objects[0].dump().find("gpu.product") == std::string::npos);
  CHECK(string_at(plan.objects[0], {"metadata", "annotations", "kml.dev/gpus"}).empty());
}

TEST_CASE("GPU claims: the note names what the cluster lacks") {
  struct Case {
    int status;
    Json body;
    std::string why;
  };
  const auto status = [](int code, const char* reason) {
    return Json{{"kind", "Status"}, {"code", code}, {"reason", reason}, {"message", "x"}};
  };
  const std::vector<Case> cases = {
      {404, "404 page not found", "the cluster does not serve resource.k8s.io/v1"},
      {404, status(404, "NotFound"), "the cluster has no DeviceClass gpu.nvidia.com"},
      {403, status(403, "Forbidden"), "you may not read DeviceClass gpu.nvidia.com"}};
  for (const Case& each : cases) {
    CAPTURE(each.why);
    FakeTransport transport;
    kube::Client client(transport);
    FakeTransport::Stub stub;
    stub.status = each.status;
    stub.pieces = {each.body.is_string() ? each.body.get<std::string>() : each.body.dump()};
    transport.stub("GET", kClass, stub);
    SubmitPlan plan = planned({{"gpus", "h100|a100:8"}});
    use_gpu_claims(client, plan, false);
    CHECK(plan.notes.back() == "--gpus h100|a100 selects nodes by their labels: " + each.why);
  }
}

TEST_CASE("GPU claims: what a dry run printed can be submitted, without the objects of the dry run") {
  SubmitPlan first = planned({{"gpus", "h100|a100:8"}, {"nodes", "2"}});
  {
    FakeTransport transport;
    kube::Client client(transport);
    transport.answer("POST", kGroups, {{"kind", "PodGroup"}, {"metadata", {{"name", "dm"}}}}, 201);
    use_gangs(client, first, false);
  }
  claim(first);
  std::vector<Json> printed = all_objects(first);
  REQUIRE(printed.size() == 3);
  printed.push_back({{"apiVersion", "resource.k8s.io/v1"},
                     {"kind", "ResourceClaimTemplate"},
                     {"metadata", {{"name", "own"}, {"namespace", "lab"}}},
                     {"spec", Json::object()}});
  const SubmitPlan again = planned({}, printed);
  std::vector<std::string> kinds;
  for (const Json& object : again.objects) kinds.push_back(string_at(object, {"kind"}));
  CHECK(kinds == std::vector<std::string>{"Job", "ResourceClaimTemplate"});
  CHECK(string_at(again.objects[1], {"metadata", "name"}) == "own");
  CHECK_FALSE(pod_of(again.objects[0]).contains("schedulingGroup"));
  CHECK_FALSE(pod_of(again.objects[0]).contains("resourceClaims"));
}

TEST_CASE("dry run: without a server, notes name the objects that a cluster may get") {
  const auto number_of_notes = [](const Flags& settings) {
    return notes_on_additions(planned(settings)).size();
  };
  CHECK(number_of_notes({{"gpus", "h100:8"}}) == 0);
  CHECK(number_of_notes({{"gpus", "h100|a100:8"}}) == 1);
  CHECK(number_of_notes({{"gpus", "h100:8"}, {"nodes", "2"}}) == 1);
  CHECK(number_of_notes({{"gpus", ">=40Gi:8"}, {"nodes", "2"}}) == 2);
  CHECK(number_of_notes({{"template", "trainjob"}, {"gpus", "h100|a100:8"}}) == 0);
  CHECK(number_of_notes({{"nodes", "2"}, {"queue", "q"}}) == 0);
}

}  // namespace gpu_claims_test
