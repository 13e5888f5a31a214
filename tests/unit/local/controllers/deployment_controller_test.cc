#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "local/node_fixture.h"

namespace deployment_controller_test {

using namespace kml;
using namespace kml::local;

namespace {

/// A node with Deployments of one container that runs a script.
class Deployments : public NodeFixture {
 public:
  Deployments() = default;
  ~Deployments() {
    for (const api::ResourceKind* kind : {&local::kinds::deployment, &local::kinds::replica_set})
      for (const ObjectPtr& object : server->store.list(*kind, ""))
        server->store.remove(*kind, namespace_of(*object), name_of(*object));
  }

  void deploy(const std::string& script, const std::string& more = "{}", const std::string& probe = "null") {
    Json object = Json::parse(R"({"apiVersion": "apps/v1", "kind": "Deployment",
      "metadata": {"name": "web", "namespace": "default"},
      "spec": {"replicas": 2, "progressDeadlineSeconds": 600, "revisionHistoryLimit": 10,
        "selector": {"matchLabels": {"app": "web"}},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"restartPolicy": "Always",
          "terminationGracePeriodSeconds": 5, "containers": [{"name": "main", "image": "any",
          "ports": [{"containerPort": 8080}], "env": [{"name": "PORT", "value": "8080"}]}]}}}})");
    Json& container = object["spec"]["template"]["spec"]["containers"][0];
    container["command"] = {"sh", "-c", script};
    container.merge_patch({{"readinessProbe", Json::parse(probe)}});
    object["spec"].merge_patch(Json::parse(more));
    server->store.create(local::kinds::deployment, object);
  }
  void set_script(const std::string& script) {
    change([&](Json& next) { next["spec"]["template"]["spec"]["containers"][0]["command"][2] = script; });
  }
  void change(const std::function<void(Json&)>& how) {
    server->store.modify(local::kinds::deployment, "default", "web", how);
  }
  Json web() const { return *server->store.get(local::kinds::deployment, "default", "web"); }
  std::string progress() const {
    const Json object = web();
    return api::condition(object, "Progressing").reason();
  }
  std::vector<ObjectPtr> sets() const { return server->store.list(local::kinds::replica_set, "default"); }
  bool is_done() const {
    const Json object = web();
    const long long wanted = int_at(object, {"spec", "replicas"});
    return int_at(object, {"status", "observedGeneration"}) == api::generation_of(object) &&
           int_at(object, {"status", "availableReplicas"}) == wanted &&
           int_at(object, {"status", "updatedReplicas"}) == wanted &&
           pods().size() == static_cast<size_t>(wanted);
  }
};

constexpr const char* kRuns = "exec sleep 1000";

}  // namespace

TEST_CASE_FIXTURE(Deployments, "deployment: pods start and are scaled, and a lost pod is replaced") {
  deploy(kRuns);
  REQUIRE(turn_until([&] { return is_done(); }));
  CHECK(progress() == "NewReplicaSetAvailable");
  CHECK(annotation_of(web(), "deployment.kubernetes.io/revision") == "1");
  REQUIRE(sets().size() == 1);
  for (const ObjectPtr& pod : pods()) CHECK(controller_uid(*pod) == uid_of(*sets()[0]));

  change([](Json& next) { next["spec"]["replicas"] = 3; });
  REQUIRE(turn_until([&] { return is_done(); }));
  const std::string lost = name_of(*pods()[0]);
  server->store.modify(local::kinds::pod, "default", lost, [](Json& next) { mark_deleted(next, Time()); });
  REQUIRE(turn_until([&] { return is_done() && !server->store.get(local::kinds::pod, "default", lost); }));
  change([](Json& next) { next["spec"]["replicas"] = 0; });
  REQUIRE(turn_until([&] { return is_done(); }));
}

TEST_CASE_FIXTURE(Deployments, "deployment: an update replaces the pods one by one, and can be undone") {
  deploy(kRuns);
  REQUIRE(turn_until([&] { return is_done(); }));
  const Json before = web()["spec"]["template"];
  set_script("exec sleep 2000");
  size_t fewest = 2;
  REQUIRE(turn_until([&] {
    size_t ready = 0;
    for (const ObjectPtr& pod : pods())
      ready += api::condition_is_true(*pod, "Ready") && !is_being_deleted(*pod) ? 1 : 0;
    fewest = std::min(fewest, ready);
    return is_done();
  }));
  CHECK(fewest == 2);  // maxUnavailable 0
  CHECK(sets().size() == 2);
  CHECK(annotation_of(web(), "deployment.kubernetes.io/revision") == "2");
  change([&](Json& next) { next["spec"]["template"] = before; });
  REQUIRE(turn_until([&] { return is_done(); }));
  CHECK(sets().size() == 2);
  CHECK(annotation_of(web(), "deployment.kubernetes.io/revision") == "3");
}

TEST_CASE_FIXTURE(Deployments,
                  "deployment: Recreate stops all old pods first; old replica sets are removed") {
  deploy(kRuns, R"({"strategy": null, "revisionHistoryLimit": 0})");
  change([](Json& next) { next["spec"]["strategy"] = {{"type", "Recreate"}}; });
  REQUIRE(turn_until([&] { return is_done(); }));
  set_script("exec sleep 2000");
  long most = 0;
  REQUIRE(turn_until([&] {
    const auto all = pods();  // a pod that has ended may be removed later
    most = std::max(most, std::count_if(all.begin(), all.end(),
                                        [](const ObjectPtr& pod) { return !api::pod_has_ended(*pod); }));
    return is_done() && sets().size() == 1;
  }));
  CHECK(most == 2);
}

TEST_CASE_FIXTURE(Deployments, "deployment: an update waits while the deployment is paused") {
  deploy(kRuns);
  REQUIRE(turn_until([&] { return is_done(); }));
  change([](Json& next) { next["spec"]["paused"] = true; });
  REQUIRE(turn_until([&] { return progress() == "DeploymentPaused"; }));
  set_script("exec sleep 2000");
  change([](Json& next) { next["spec"]["replicas"] = 1; });
  REQUIRE(turn_until([&] { return pods().size() == 1; }));
  CHECK(sets().size() == 1);
  change([](Json& next) { next["spec"]["paused"] = false; });
  REQUIRE(turn_until([&] { return is_done() && sets().size() == 2; }));
}

TEST_CASE_FIXTURE(
    Deployments, "deployment: a program that crashes is restarted after a delay, and the rollout times out") {
  // A crashing pod without a probe is ready for a moment. If both are ready at once, the rollout is complete.
  deploy("exit 3", R"({"progressDeadlineSeconds": 1})", R"({"exec": {"command": ["false"]}})");
  REQUIRE(turn_until([&] { return progress() == "ProgressDeadlineExceeded"; }));
  const auto waits_to_restart = [](const Json& status) {
    return api::waiting_reason(status) == "CrashLoopBackOff";
  };
  REQUIRE(turn_until([&] {
    return std::ranges::any_of(pods(), [&](const ObjectPtr& pod) {
      return std::ranges::any_of(api::container_statuses(*pod), waits_to_restart);
    });
  }));
  CHECK_FALSE(api::condition_is_true(web(), "Available"));
  CHECK(pods().size() == 2);
}

TEST_CASE_FIXTURE(Deployments, "deployment: each replica has its own port in PORT") {
  deploy("echo $PORT >> " + file("ports") + "; exec sleep 1000");
  REQUIRE(turn_until([&] { return is_done() && split(content("ports"), '\n').size() == 3; }));
  std::set<std::string> given;
  for (const ObjectPtr& pod : pods()) given.insert(annotation_of(*pod, api::kPorts));
  CHECK(given.size() == 2);
  for (const std::string& pair : given) {
    CHECK(pair.starts_with("8080="));
    CHECK(content("ports").find(pair.substr(5)) != std::string::npos);
  }
}

TEST_CASE_FIXTURE(Deployments, "deployment: after a crash of the server, its pods are found again") {
  deploy(kRuns);
  REQUIRE(turn_until([&] { return is_done(); }));
  std::set<std::string> before, after;
  for (const ObjectPtr& pod : pods()) before.insert(uid_of(*pod));
  crash_and_restart();
  change([](Json& next) { next["spec"]["replicas"] = 3; });
  REQUIRE(turn_until([&] { return is_done(); }));
  for (const ObjectPtr& pod : pods()) after.insert(uid_of(*pod));
  CHECK(std::includes(after.begin(), after.end(), before.begin(), before.end()));
}

TEST_CASE_FIXTURE(Deployments,
                  "replica set: adopts pods without a controller, and releases those that no longer match") {
  create(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "stray", "labels": {"app": "web"}},
    "spec": {"restartPolicy": "Always", "containers": [{"name": "main", "image": "any", "command": ["sleep", "1000"]}]}})");
  create(R"({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
    "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}},
      "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"restartPolicy": "Always",
        "containers": [{"name": "main", "image": "any", "command": ["sleep", "1000"]}]}}}})");
  const auto owner_of_stray = [&] {
    return controller_uid(*server->store.get(local::kinds::pod, "default", "stray"));
  };
  REQUIRE(turn_until([&] { return pods().size() == 2 && !owner_of_stray().empty(); }));
  server->store.modify(local::kinds::pod, "default", "stray",
                       [](Json& next) { next["metadata"]["labels"]["app"] = "other"; });
  REQUIRE(turn_until([&] { return pods().size() == 3 && owner_of_stray().empty(); }));
}

}  // namespace deployment_controller_test
