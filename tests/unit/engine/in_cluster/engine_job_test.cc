#include <doctest/doctest.h>

#include "job/submit/gangs.h"
#include "kml/base/json.h"
#include "kml/engine/in_cluster/engine_job.h"
#include "kml/kube/objects/object.h"

namespace kml::engine::engine_job_test {

namespace {

const EngineMarks kMarks{"run", "kml.dev/run", "iris-1", "id", "team"};

std::vector<Json> objects_of(const EngineOptions& options, std::vector<std::string> files = {}) {
  return engine_objects(kMarks, options,
                        {{"kml", "run", "engine", "iris-1"},
                         engine_rules(kMarks, {"batch/jobs", "kubeflow.org/pytorchjobs"}),
                         std::move(files),
                         {"kml-engine-iris-1"}});
}

}  // namespace

TEST_CASE(
    "engine job: its account may create jobs of the named kinds, and reads the changes of one ConfigMap") {
  const auto objects = objects_of({"kml:1", "runs", "team", "", "ana"});
  REQUIRE(objects.size() == 4);
  const Json& rules = objects[1].at("rules");
  CHECK(rules[0].at("resources") == Json::array({"jobs"}));
  CHECK(rules[1].at("apiGroups") == Json::array({"kubeflow.org"}));
  CHECK(rules.back().at("resourceNames") == Json::array({"kml-run-iris-1"}));
  CHECK(objects[3].at("metadata").at("labels").at("kml.dev/run-engine") == "iris-1");
}

TEST_CASE("engine job: if the engine's jobs are gangs, its account may create and delete PodGroups") {
  const Json rules = engine_rules(kMarks, {"batch/jobs", job::kPodGroups});
  CHECK(rules[1] == rule("scheduling.k8s.io", "podgroups", {"create", "get", "patch", "delete"}));
  CHECK(engine_rules(kMarks, {"batch/jobs"}).dump().find("podgroups") == std::string::npos);
}

TEST_CASE("engine job: an account named by the user gets no Role") {
  const auto objects = objects_of({"kml:1", "runs", "", "trainer", "ana"});
  REQUIRE(objects.size() == 1);
  CHECK(string_at(objects[0], {"spec", "template", "spec", "serviceAccountName"}) == "trainer");
}

TEST_CASE("engine job: its pod has the journal's volume, and the files that were sent") {
  const Json pod = objects_of({"kml:1", "runs", "team", "", "ana"}, {"files-0", "files-1"})
                       .back()
                       .at("spec")
                       .at("template")
                       .at("spec");
  const Json& container = pod.at("containers")[0];
  CHECK(container.at("volumeMounts")[0].at("subPath") == "team");
  CHECK(container.at("envFrom")[0].at("secretRef").at("name") == "kml-engine-iris-1");
  CHECK(pod.at("volumes")[1].at("projected").at("sources").size() == 2);
  const Json without = objects_of({"kml:1", "runs", "", "", "ana"}).back().at("spec").at("template");
  CHECK(without.at("spec").at("volumes").size() == 1);
}

TEST_CASE("engine job: git gets a Secret's password for one server only; with SSH, it gets a key") {
  const auto pod_for = [](const std::string& repository) {
    EngineProgram program{{"kml"}, Json::array()};
    program.git = GitAccess{repository, "token"};
    return engine_objects(kMarks, {"kml:1", "", "", "", "ana"}, program).back()["spec"]["template"]["spec"];
  };
  const auto variable = [](const Json& pod, const std::string& name) -> std::string {
    for (const Json& entry : pod.at("containers")[0].at("env"))
      if (entry.at("name") == name) return entry.at("value");
    return "";
  };
  const Json http = pod_for("https://git.example:8443/ana/bert");
  CHECK(variable(http, "GIT_CONFIG_KEY_0") == "credential.https://git.example:8443.helper");
  CHECK(variable(http, "GIT_SSH_COMMAND").empty());
  CHECK(http.at("volumes")[1].at("name") == "work");
  CHECK(http.at("volumes")[2].at("secret").at("secretName") == "token");
  const Json ssh = pod_for("git@git.example:ana/bert");
  CHECK(variable(ssh, "GIT_CONFIG_COUNT").empty());
  CHECK(variable(ssh, "GIT_SSH_COMMAND").find("-oBatchMode=yes") != std::string::npos);
}

}  // namespace kml::engine::engine_job_test
