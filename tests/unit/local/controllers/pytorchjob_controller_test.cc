#include <doctest/doctest.h>

#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "local/node_fixture.h"

namespace pytorchjob_controller_test {

using namespace kml;
using namespace kml::local;

namespace {

/// A PyTorchJob with a master and `workers` workers, all of which run the script.
std::string manifest(const std::string& name, const std::string& script, int workers,
                     const std::string& restart_policy = "Never") {
  const Json pod_template = {
      {"spec",
       {{"terminationGracePeriodSeconds", 5},
        {"containers", {{{"name", "pytorch"}, {"image", "any"}, {"command", {"sh", "-c", script}}}}}}}};
  Json specs;
  for (auto [type, replicas] : {std::pair("Master", 1), std::pair("Worker", workers)})
    specs[type] = {{"replicas", replicas}, {"restartPolicy", restart_policy}, {"template", pod_template}};
  return Json({{"apiVersion", "kubeflow.org/v1"},
               {"kind", "PyTorchJob"},
               {"metadata", {{"name", name}}},
               {"spec", {{"pytorchReplicaSpecs", specs}}}})
      .dump();
}

}  // namespace

TEST_CASE_FIXTURE(NodeFixture,
                  "pytorchjob: sets the operator's environment, and succeeds when the master succeeds") {
  create(manifest("dist",
                  "echo $RANK $WORLD_SIZE $MASTER_ADDR $PET_NNODES $PET_NODE_RANK >> " + file("out") +
                      "; echo $MASTER_PORT $PET_MASTER_PORT >> " + file("ports"),
                  2));
  REQUIRE(turn_until(
      [&] { return api::condition_is_true(pytorchjob("dist"), "Succeeded") && pods().size() == 3; }));
  REQUIRE(turn_until([&] { return content("out").size() == 3 * std::string("0 3 127.0.0.1 3 0\n").size(); }));
  for (const char* line : {"0 3 127.0.0.1 3 0\n", "1 3 127.0.0.1 3 1\n", "2 3 127.0.0.1 3 2\n"})
    CHECK(content("out").find(line) != std::string::npos);
  const std::string port = content("ports").substr(0, 5);
  CHECK(content("ports").starts_with(port + " " + port + "\n" + port));
  ObjectPtr worker = server->store.get(local::kinds::pod, "default", "dist-worker-1");
  REQUIRE(worker);
  CHECK(string_at(*worker, {"metadata", "labels", api::kReplicaType}) == "worker");
  CHECK(string_at(*worker, {"metadata", "labels", api::kTrainingJobName}) == "dist");
  CHECK(api::condition_is_true(pytorchjob("dist"), "Created"));
}

TEST_CASE_FIXTURE(NodeFixture, "pytorchjob: two jobs at the same time have different ports") {
  for (const char* name : {"a", "b"})
    create(manifest(name, "echo $MASTER_PORT >> " + file(name) + "; sleep 1000", 0));
  REQUIRE(turn_until([&] { return !content("a").empty() && !content("b").empty(); }));
  CHECK(content("a") != content("b"));
}

TEST_CASE_FIXTURE(NodeFixture, "pytorchjob: a failed worker fails the job and stops the others") {
  create(manifest(
      "bad", "[ $RANK = 0 ] && exec sleep 1000; until [ -e " + file("go") + " ]; do sleep 0.01; done; exit 1",
      1));
  REQUIRE(turn_until([&] {
    return pods().size() == 2 && phase_of(*pods()[0]) == "Running" && phase_of(*pods()[1]) == "Running";
  }));
  write_file_atomically(file("go"), "");
  REQUIRE(turn_until([&] { return api::condition_is_true(pytorchjob("bad"), "Failed"); }));
  const Json job = pytorchjob("bad");
  CHECK(api::condition(job, "Failed").message() ==
        "PyTorchJob bad is failed because 1 Worker replica(s) failed.");
  // The master's log may explain more, so its pod stays.
  REQUIRE(turn_until([&] { return pod_has_ended(*pods()[0]) && pod_has_ended(*pods()[1]); }));
  CHECK((*pods()[0])["status"]["reason"] == "JobEnded");
}

TEST_CASE_FIXTURE(NodeFixture, "pytorchjob: ExitCode restarts a pod with exit code 143, but not with 1") {
  SUBCASE("143") {
    create(manifest("retry",
                    "[ $RANK = 0 ] && { while [ ! -e " + file("done") +
                        " ]; do sleep 0.01; done; exit 0; }; " + "echo x >> " + file("runs") +
                        "; [ $(wc -l < " + file("runs") + ") = 2 ] && touch " + file("done") + " || exit 143",
                    1, "ExitCode"));
    REQUIRE(turn_until([&] { return api::condition_is_true(pytorchjob("retry"), "Succeeded"); }));
    CHECK(content("runs") == "x\nx\n");
    CHECK(events("PyTorchJobRestarting").size() == 1);
  }
  SUBCASE("1") {
    create(manifest("retry", "exit 1", 1, "ExitCode"));
    REQUIRE(turn_until([&] { return api::condition_is_true(pytorchjob("retry"), "Failed"); }));
  }
}

TEST_CASE_FIXTURE(NodeFixture, "pytorchjob: suspend stops all pods, resume starts them again") {
  create(manifest("pause", "echo x >> " + file("out") + "; [ -e " + file("go") + " ] || sleep 1000", 1));
  REQUIRE(turn_until([&] { return content("out") == "x\nx\n"; }));
  auto set_suspend = [&](bool value) {
    server->store.modify(local::kinds::pytorchjob, "default", "pause",
                         [&](Json& next) { next["spec"]["runPolicy"]["suspend"] = value; });
  };
  set_suspend(true);
  REQUIRE(
      turn_until([&] { return pods().empty() && api::condition_is_true(pytorchjob("pause"), "Suspended"); }));
  write_file_atomically(file("go"), "");
  set_suspend(false);
  REQUIRE(turn_until([&] { return api::condition_is_true(pytorchjob("pause"), "Succeeded"); }));
}

}  // namespace pytorchjob_controller_test
