#include <doctest/doctest.h>
#include <signal.h>

#include "kml/kube/objects/object.h"
#include "local/node_fixture.h"
#include "local/shim/pod_folder.h"
#include "support/eventually.h"

namespace node_test {

using namespace kml;
using namespace kml::local;

namespace {

const char* const kOneGpu =
    R"({"template": {"spec": {"containers": [{"name": "main", "image": "any", "command": ["sh", "-c", "SCRIPT"],
        "resources": {"limits": {"nvidia.com/gpu": "GPUS"}}}]}}})";

std::string with_gpus(std::string script, const std::string& gpus) {
  std::string text = kOneGpu;
  text.replace(text.find("GPUS"), 4, gpus);
  return text.replace(text.find("SCRIPT"), 6, script);
}

}  // namespace

TEST_CASE_FIXTURE(NodeFixture, "node: registers itself with its resources") {
  auto nodes = server->store.list(local::kinds::node, "");
  REQUIRE(nodes.size() == 1);
  CHECK(string_at(*nodes[0], {"status", "allocatable", "nvidia.com/gpu"}) == "2");
  CHECK(string_at(*nodes[0], {"status", "allocatable", "cpu"}) == "4");
  CHECK(api::condition_is_true(*nodes[0], "Ready"));
}

TEST_CASE_FIXTURE(NodeFixture,
                  "node: each GPU is given to one pod at a time, and hidden from pods that request none") {
  const std::string script = "echo $CUDA_VISIBLE_DEVICES > " + file("NAME") + "; while [ ! -e " + file("go") +
                             " ]; do sleep 0.01; done";
  auto named = [&](const char* name) {
    std::string text = script;
    return text.replace(text.find("NAME"), 4, name);
  };
  create_job("a", "", with_gpus(named("a"), "1"));
  create_job("b", "", with_gpus(named("b"), "1"));
  create_job("none", named("none"));
  create_job("late", "", with_gpus(named("late"), "2"));
  REQUIRE(
      turn_until([&] { return !content("a").empty() && !content("b").empty() && !content("none").empty(); }));
  CHECK(content("a") != content("b"));
  CHECK(content("none") == "\n");
  auto waiting = [&]() -> std::string {
    for (const ObjectPtr& pod : pods())
      if (const api::Condition scheduled = api::condition(*pod, "PodScheduled"); scheduled.is_false())
        return scheduled.message();
    return "";
  };
  REQUIRE(turn_until([&] { return !waiting().empty(); }));
  CHECK(waiting() == "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.");
  write_file_atomically(file("go"), "");
  REQUIRE(turn_until([&] { return finished("late"); }));
  CHECK(content("late") == "0,1\n");
}

TEST_CASE_FIXTURE(NodeFixture, "node: a higher priority preempts, and the victim runs again afterwards") {
  for (auto [name, value] : {std::pair("low", 0), std::pair("high", 1'000'000)})
    server->store.create(*api::find_kind("scheduling.k8s.io/v1", "PriorityClass"),
                         {{"apiVersion", "scheduling.k8s.io/v1"},
                          {"kind", "PriorityClass"},
                          {"metadata", {{"name", name}}},
                          {"value", value}});
  auto job_of = [&](const char* name, const char* priority, const std::string& script) {
    Json spec = Json::parse(with_gpus(script, "2"));
    spec["backoffLimit"] = 0;
    spec["template"]["spec"]["priorityClassName"] = priority;
    create_job(name, "", spec.dump());
  };
  job_of("victim", "low",
         "trap 'echo terminated >> " + file("out") + "; exit 143' TERM; echo started >> " + file("out") +
             "; [ -e " + file("go") + " ] && exit 0; while :; do sleep 0.01; done");
  REQUIRE(turn_until([&] { return content("out") == "started\n"; }));
  job_of("urgent", "high", "echo urgent >> " + file("out") + "; touch " + file("go"));
  REQUIRE(turn_until([&] { return finished("victim"); }));
  CHECK(api::condition_is_true(job("victim"), "Complete"));
  CHECK(int_at(job("victim"), {"status", "failed"}) == 0);
  CHECK(content("out") == "started\nterminated\nurgent\nstarted\n");
  REQUIRE(turn_until([&] { return events("AttemptEnded").size() == 3; }));
  int preempted = 0;
  for (const Json& event : events("AttemptEnded")) {
    const Json attempt = Json::parse(string_at(event, {"metadata", "annotations", "kml.dev/attempt"}));
    if (string_at(attempt, {"reason"}) != "Preempted") continue;
    ++preempted;
    CHECK(string_at(attempt, {"by"}) == "urgent");
    CHECK_FALSE(string_at(attempt, {"node"}).empty());
  }
  CHECK(preempted == 1);
  REQUIRE(events("Preempted").size() == 1);
  CHECK(string_at(events("Preempted")[0], {"related", "name"}).find("urgent-") == 0);
  CHECK(string_at(events("Preempted")[0], {"message"}).find("urgent-") != std::string::npos);
}

TEST_CASE_FIXTURE(
    NodeFixture,
    "node: after a kill, the server finds the pods that still run, and the pods that have ended meanwhile") {
  create_job("running",
             "echo x >> " + file("runs") + "; while [ ! -e " + file("go") + " ]; do sleep 0.01; done");
  create_job("ending", "echo x >> " + file("runs") + "; while [ ! -e " + file("end") +
                           " ]; do sleep 0.01; done; touch " + file("ended"));
  REQUIRE(turn_until([&] { return content("runs") == "x\nx\n"; }));
  server.reset();
  write_file_atomically(file("end"), "");
  REQUIRE(eventually([&] { return std::filesystem::exists(file("ended")); }));
  begin();
  REQUIRE(turn_until([&] { return finished("ending"); }));
  CHECK_FALSE(finished("running"));
  write_file_atomically(file("go"), "");
  REQUIRE(turn_until([&] { return finished("running"); }));
  CHECK(content("runs") == "x\nx\n");
}

TEST_CASE_FIXTURE(NodeFixture, "node: a server killed at any moment of a start runs the pod once") {
  for (int i = 0; i < 20; ++i) {
    create_job("j" + std::to_string(i), "echo x >> " + file("runs"));
    // Runs only some turns of the loop, so that the kill comes between the creation of the pod and its shim's
    // claim.
    int turns = i % 7;
    turn_until([&] { return turns-- == 0; });
    crash_and_restart();
  }
  REQUIRE(turn_until([&] {
    for (int i = 0; i < 20; ++i)
      if (!finished("j" + std::to_string(i))) return false;
    return true;
  }));
  CHECK(content("runs").size() == 40);
  for (int i = 0; i < 20; ++i) CHECK(job("j" + std::to_string(i))["status"]["succeeded"] == 1);
}

TEST_CASE_FIXTURE(NodeFixture, "node: a pod whose shim was killed has failed, with the reason") {
  create_job("lost", "echo started > " + file("out") + "; sleep 1000",
             R"({"backoffLimit": 0, "podFailurePolicy": {"rules": []}})");
  REQUIRE(turn_until([&] { return !content("out").empty(); }));
  const PodFolder pod_files = pod_folder(folder.path(), uid_of(pod()));
  ::kill(read_claim(pod_files).owner, SIGKILL);
  REQUIRE(turn_until([&] { return finished("lost"); }));
  CHECK(string_at(pod(), {"status", "reason"}) == "SupervisorLost");
}

TEST_CASE_FIXTURE(NodeFixture,
                  "node: if an object that a pod needs does not exist, this is reported, and the object is "
                  "looked up again") {
  create_job("needs", "", R"({"template": {"spec": {"containers": [
    {"name": "main", "image": "any", "command": ["sh", "-c", "test ${#TOKEN} = 9"],
     "env": [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "token"}}}]}]}}})");
  auto waiting = [&] {
    const Json only = pod();
    const Json& statuses = array_at(only, {"status", "containerStatuses"});
    return statuses.empty() ? "" : string_at(statuses[0], {"state", "waiting", "message"});
  };
  REQUIRE(turn_until([&] { return !waiting().empty(); }));
  CHECK(waiting() == "secret \"s\" not found");
  create(
      R"({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"token": "aHVzaC1odXNo"}})");
  REQUIRE(turn_until([&] { return finished("needs"); }));
  // The secret's value is in no object except the secret, and in no file in the pod's folder.
  for (const ObjectPtr& event : server->store.list(local::kinds::event, ""))
    CHECK(event->dump().find("hush") == std::string::npos);
  CHECK(pod().dump().find("hush") == std::string::npos);
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(pod_folder(folder.path(), uid_of(pod())).path))
    if (entry.is_regular_file()) CHECK(read_file(entry.path()).find("hush") == std::string::npos);
}

TEST_CASE_FIXTURE(NodeFixture, "node: a container that must not run as root, but would, is not started" *
                                   doctest::skip(::geteuid() != 0)) {
  create_job("rooted", "true", R"({"template": {"spec": {"securityContext": {"runAsNonRoot": true}}}})");
  REQUIRE(turn_until([&] { return !array_at(pod(), {"status", "containerStatuses"}).empty(); }));
  const Json waiting = pod()["status"]["containerStatuses"][0]["state"]["waiting"];
  CHECK(waiting["reason"] == "CreateContainerConfigError");
  CHECK(string_at(waiting, {"message"}).starts_with("container has runAsNonRoot and image will run as root"));
}

TEST_CASE_FIXTURE(NodeFixture, "node: a pod with scheduling gates waits until they are gone") {
  create_job("gated", "true",
             R"({"template": {"spec": {"schedulingGates": [{"name": "example.com/gate"}]}}})");
  create_job("free", "true");
  REQUIRE(turn_until([&] { return finished("free"); }));
  for (const ObjectPtr& pod : pods())
    if (name_of(*pod).starts_with("gated")) {
      CHECK(string_at(*pod, {"spec", "nodeName"}).empty());
      server->store.modify(local::kinds::pod, "default", name_of(*pod),
                           [](Json& next) { next["spec"].erase("schedulingGates"); });
    }
  CHECK(turn_until([&] { return finished("gated"); }));
}

TEST_CASE_FIXTURE(NodeFixture, "node: a deleted pod gets SIGTERM and its grace period, and is removed") {
  create(
      R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "alone"}, "spec": {"restartPolicy": "Never",
    "containers": [{"name": "main", "image": "any", "command": ["sleep", "1000"]}]}})");
  REQUIRE(turn_until([&] { return phase_of(pod()) == "Running"; }));
  server->store.modify(local::kinds::pod, "default", "alone",
                       [](Json& next) { mark_deleted(next, system_clock().now()); });
  REQUIRE(turn_until([&] { return pods().empty(); }));
  CHECK(std::filesystem::is_empty(folder.path() / "pods"));
  CHECK(turn_until([&] { return events("Killing").size() == 1; }));
}

TEST_CASE_FIXTURE(NodeFixture, "node: when a job has finished, the next one gets the GPUs at once") {
  for (const char* name : {"a", "b"})
    create_job(name, "", with_gpus("echo " + std::string(name) + " >> " + file("order"), "2"));
  REQUIRE(turn_until([&] { return finished("a"); }));
  for (const ObjectPtr& pod : pods())
    if (name_of(*pod).starts_with("b-")) CHECK_FALSE(api::node_of(*pod).empty());
  REQUIRE(turn_until([&] { return finished("b"); }));
  CHECK(content("order") == "a\nb\n");
}

}  // namespace node_test
