#include <doctest/doctest.h>

#include "kml/kube/objects/object.h"
#include "local/node_fixture.h"

namespace pytorchjob_policies_test {

using namespace kml;
using namespace kml::local;

namespace {

/// PyTorchJobs named "p" with different restart policies and run policies.
struct PolicyFixture : NodeFixture {
  /// Creates a job with a master and `workers` workers that run the script.
  void create_job(const std::string& script, int workers, const std::string& restart_policy,
                  const Json& run_policy = Json::object()) {
    const Json pod_template = {
        {"spec",
         {{"terminationGracePeriodSeconds", 5},
          {"containers", {{{"name", "pytorch"}, {"image", "any"}, {"command", {"sh", "-c", script}}}}}}}};
    Json specs;
    for (auto [type, replicas] : {std::pair("Master", 1), std::pair("Worker", workers)})
      if (replicas > 0)
        specs[type] = {{"replicas", replicas}, {"restartPolicy", restart_policy}, {"template", pod_template}};
    create(Json({{"apiVersion", "kubeflow.org/v1"},
                 {"kind", "PyTorchJob"},
                 {"metadata", {{"name", "p"}}},
                 {"spec", {{"pytorchReplicaSpecs", specs}, {"runPolicy", run_policy}}}})
               .dump());
  }
  bool ends_as(const char* condition) {
    return turn_until([&] { return is_finished(pytorchjob("p")); }) &&
           api::condition_is_true(pytorchjob("p"), condition);
  }
  std::string reason() const {
    const Json job = pytorchjob("p");
    return api::condition(job, "Failed").reason();
  }
  /// Adds a command to the script that appends a line to "runs" for each run.
  std::string counted(const std::string& script) const { return "echo >> " + file("runs") + "; " + script; }
  size_t runs() const { return content("runs").size(); }
  std::string second_run_succeeds(const std::string& else_script) const {
    return counted("[ $(wc -l < " + file("runs") + ") = 2 ] || " + else_script);
  }
  Json pod_named(const std::string& name) const {
    ObjectPtr found = server->store.get(local::kinds::pod, "default", name);
    return found ? *found : Json();
  }
};

}  // namespace

TEST_CASE_FIXTURE(PolicyFixture, "pytorchjob: with restartPolicy Never, the first failure fails the job") {
  create_job(counted("exit 143"), 0, "Never");
  CHECK(ends_as("Failed"));
  CHECK(runs() == 1);
}

TEST_CASE_FIXTURE(PolicyFixture,
                  "pytorchjob: with restartPolicy OnFailure, a failed container runs again in its pod") {
  create_job(second_run_succeeds("exit 1"), 0, "OnFailure");
  CHECK(ends_as("Succeeded"));
  CHECK(runs() == 2);
  CHECK(int_at(pod()["status"]["containerStatuses"][0], {"restartCount"}) == 1);
}

TEST_CASE_FIXTURE(PolicyFixture,
                  "pytorchjob: with restartPolicy Always, even a container that succeeded runs again") {
  create_job(counted("[ $(wc -l < " + file("runs") + ") = 1 ] || exec sleep 1000"), 0, "Always");
  REQUIRE(turn_until([&] { return runs() == 2; }));
  CHECK_FALSE(is_finished(pytorchjob("p")));
}

TEST_CASE_FIXTURE(PolicyFixture,
                  "pytorchjob: with restartPolicy ExitCode, a pod is replaced for code 129 or more") {
  for (const char* code : {"1", "127"}) SUBCASE(code) {
      create_job(counted(std::string("exit ") + code), 0, "ExitCode");
      CHECK(ends_as("Failed"));
      CHECK(runs() == 1);
    }
  for (const char* code : {"130", "137", "255"}) SUBCASE(code) {
      create_job(second_run_succeeds(std::string("exit ") + code), 0, "ExitCode");
      CHECK(ends_as("Succeeded"));
      CHECK(runs() == 2);
      CHECK(int_at(pod()["status"]["containerStatuses"][0], {"restartCount"}) == 0);
    }
}

TEST_CASE_FIXTURE(PolicyFixture, "pytorchjob: backoffLimit limits the number of replaced pods") {
  create_job(counted("exit 143"), 0, "ExitCode", {{"backoffLimit", 1}});
  CHECK(ends_as("Failed"));
  CHECK(runs() == 2);
}

TEST_CASE_FIXTURE(PolicyFixture, "pytorchjob: backoffLimit limits the restarts within a pod") {
  create_job(counted("exit 1"), 0, "OnFailure", {{"backoffLimit", 0}});
  CHECK(ends_as("Failed"));
  CHECK(reason() == "BackoffLimitExceeded");
}

TEST_CASE_FIXTURE(PolicyFixture, "pytorchjob: activeDeadlineSeconds stops the job and its pods") {
  create_job("exec sleep 1000", 1, "OnFailure", {{"activeDeadlineSeconds", 1}});
  CHECK(ends_as("Failed"));
  CHECK(reason() == "DeadlineExceeded");
  CHECK(turn_until([&] {
    for (const ObjectPtr& each : pods())
      if (!pod_has_ended(*each)) return false;
    return true;
  }));
}

TEST_CASE_FIXTURE(PolicyFixture,
                  "pytorchjob: ttlSecondsAfterFinished removes the job, its pods and their files") {
  create_job("true", 0, "Never", {{"ttlSecondsAfterFinished", 0}});
  REQUIRE(turn_until([&] { return pytorchjob("p").empty() && pods().empty(); }));
  CHECK(std::filesystem::is_empty(folder.path() / "pods"));
}

TEST_CASE_FIXTURE(PolicyFixture,
                  "pytorchjob: cleanPodPolicy decides which pods are removed when the master has succeeded") {
  const std::string script = "[ $RANK = 0 ] || { touch " + file("up") + "; exec sleep 1000; }; until [ -e " +
                             file("up") + " ]; do sleep 0.01; done";
  SUBCASE("None") {
    create_job(script, 1, "Never", {{"cleanPodPolicy", "None"}});
    REQUIRE(ends_as("Succeeded"));
    int turns = 20;
    turn_until([&] { return turns-- == 0; });
    CHECK(phase_of(pod_named("p-worker-0")) == "Running");
    CHECK_FALSE(is_being_deleted(pod_named("p-worker-0")));
  }
  SUBCASE("Running") {
    create_job(script, 1, "Never", {{"cleanPodPolicy", "Running"}});
    REQUIRE(ends_as("Succeeded"));
    REQUIRE(turn_until([&] { return pods().size() == 1; }));
    CHECK(name_of(pod()) == "p-master-0");
  }
  SUBCASE("All") {
    create_job(script, 1, "Never", {{"cleanPodPolicy", "All"}});
    REQUIRE(ends_as("Succeeded"));
    CHECK(turn_until([&] { return pods().empty(); }));
  }
}

}  // namespace pytorchjob_policies_test
