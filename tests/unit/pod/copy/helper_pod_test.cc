#include "kml/pod/copy/helper_pod.h"

#include <doctest/doctest.h>

#include "kml/kube/objects/object.h"

namespace helper_pod_test {

using namespace kml;
using namespace kml::pod;

namespace {

const Json kJob = Json::parse(R"json({
  "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "bert"}, "spec": {"template": {"spec": {
    "nodeSelector": {"zone": "a"}, "securityContext": {"runAsUser": 1000},
    "volumes": [{"name": "runs", "persistentVolumeClaim": {"claimName": "runs"}}, {"name": "scratch", "emptyDir": {}}],
    "containers": [{"name": "main", "image": "trainer:1", "workingDir": "/work", "volumeMounts": [
      {"name": "runs", "mountPath": "/work/out", "subPath": "bert"},
      {"name": "scratch", "mountPath": "/work/out/scratch"},
      {"name": "runs", "mountPath": "/expanded", "subPathExpr": "$(POD_NAME)"}]}]}}}})json");

const Json& container_of(const Json& pod) {
  return pod["spec"]["containers"][0];
}

}  // namespace

TEST_CASE("helper pod: mounts a job's claim as the job's container does, but read-only to copy from it") {
  const std::optional<HelperPlan> plan = helper_for_job(kJob, "out/model", "", true);
  REQUIRE(plan);
  CHECK(plan->claim == "runs");
  CHECK(plan->path == "/work/out/model");
  CHECK(container_of(plan->pod)["image"] == "trainer:1");
  CHECK(container_of(plan->pod)["volumeMounts"] ==
        Json::parse(R"([{"name": "runs", "mountPath": "/work/out", "subPath": "bert",
    "readOnly": true}])"));
  CHECK(plan->pod["spec"]["volumes"].size() == 1);
  CHECK(plan->pod["spec"]["securityContext"]["runAsUser"] == 1000);
  CHECK(plan->pod["spec"]["nodeSelector"]["zone"] == "a");
  CHECK(plan->pod["spec"]["activeDeadlineSeconds"] == 86400);
  CHECK(plan->pod["spec"]["restartPolicy"] == "Never");
}

TEST_CASE("helper pod: no pod is made for a path outside a claim, or on a claim with a subPathExpr") {
  for (const char* path :
       {"/work", "/work/outside", "/work/out/scratch/x", "/work/out/../x", "/expanded/x", "/tmp"})
    CHECK_FALSE(helper_for_job(kJob, path, "", true));
  CHECK_FALSE(helper_for_job(kJob, "/work/out", "other", true));
  CHECK(helper_for_job(kJob, "/work/out", "main", true));
}

TEST_CASE("helper pod: a claim is mounted at the pod's working directory") {
  const HelperPlan plan = helper_for_claim("runs", "", "busybox:1", false);
  CHECK(plan.path == ".");
  CHECK(container_of(plan.pod)["workingDir"] == container_of(plan.pod)["volumeMounts"][0]["mountPath"]);
  CHECK(container_of(plan.pod)["volumeMounts"][0]["readOnly"] == false);
  CHECK(helper_for_claim("runs", "a/b", "busybox:1", true).path == "a/b");
  CHECK(api::name_of(plan.pod) != api::name_of(helper_for_claim("runs", "", "busybox:1", false).pod));
}

}  // namespace helper_pod_test
