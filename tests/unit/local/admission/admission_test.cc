#include "kml/local/daemon.h"
#include "local/api_fixture.h"

#include <algorithm>

namespace admission_test {

using namespace kml;
using namespace kml::local;

namespace {

const std::string kTrainingJobs = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs";
const std::string kClasses = "/apis/scheduling.k8s.io/v1/priorityclasses";

bool has_cause(const Json& status, const std::string& field) {
  const Json& causes = array_at(status, {"details", "causes"});
  return std::any_of(causes.begin(), causes.end(),
                     [&](const Json& cause) { return cause["field"] == field; });
}

Json priority_class(const std::string& name, int value, bool global) {
  return {{"metadata", {{"name", name}}}, {"value", value}, {"globalDefault", global}};
}

}  // namespace

TEST_CASE_FIXTURE(ApiFixture, "admission: a job without a name is rejected") {
  Json nameless = job("");
  nameless["metadata"].erase("name");
  CHECK(has_cause(expect(422, "POST", kJobs, nameless), "metadata.name"));
}

TEST_CASE_FIXTURE(ApiFixture, "admission: a job gets the API server's defaults, and its own selector") {
  Json made = expect(201, "POST", kJobs, job("a"));
  const Json& spec = made["spec"];
  CHECK(spec["backoffLimit"] == 6);
  CHECK(spec["completions"] == 1);
  CHECK(spec["parallelism"] == 1);
  CHECK(spec["completionMode"] == "NonIndexed");
  CHECK(spec["suspend"] == false);
  const std::string uid = made["metadata"]["uid"];
  CHECK(spec["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"] == uid);
  CHECK(spec["template"]["metadata"]["labels"]["job-name"] == "a");
  CHECK(spec["template"]["spec"]["terminationGracePeriodSeconds"] == 30);

  Json queue = job("b");
  queue["spec"]["parallelism"] = 3;
  CHECK(!expect(201, "POST", kJobs, queue)["spec"].contains("completions"));
}

TEST_CASE_FIXTURE(ApiFixture, "admission: each fault of a job is a cause with its path") {
  Json bad = job("a");
  Json& spec = bad["spec"];
  std::string field;
  SUBCASE("restartPolicy") {
    spec["template"]["spec"].erase("restartPolicy");
    field = "spec.template.spec.restartPolicy";
  }
  SUBCASE("parallelism") {
    spec["parallelism"] = -1;
    field = "spec.parallelism";
  }
  SUBCASE("Indexed without completions") {
    spec["completionMode"] = "Indexed";
    spec["parallelism"] = 2;
    field = "spec.completions";
  }
  SUBCASE("its own selector") {
    spec["selector"]["matchLabels"]["a"] = "b";
    field = "spec.selector";
  }
  SUBCASE("no containers") {
    spec["template"]["spec"]["containers"] = Json::array();
    field = "spec.template.spec.containers";
  }
  SUBCASE("a mount without its volume") {
    spec["template"]["spec"]["containers"][0]["volumeMounts"] =
        Json::array({{{"name", "data"}, {"mountPath", "/data"}}});
    field = "spec.template.spec.containers[0].volumeMounts[0].name";
  }
  SUBCASE("half a GPU") {
    spec["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = "0.5";
    field = "spec.template.spec.containers[0].resources.limits[nvidia.com/gpu]";
  }
  SUBCASE("more requested than allowed") {
    spec["template"]["spec"]["containers"][0]["resources"] = {{"limits", {{"cpu", "1"}}},
                                                              {"requests", {{"cpu", 2}}}};
    field = "spec.template.spec.containers[0].resources.requests";
  }
  SUBCASE("an invalid name") {
    bad["metadata"]["name"] = "A_b";
    field = "metadata.name";
  }
  Json status = expect(422, "POST", kJobs, bad);
  CHECK(string_at(status, {"reason"}) == "Invalid");
  CHECK_MESSAGE(has_cause(status, field), status.dump());
}

TEST_CASE_FIXTURE(
    ApiFixture,
    "admission: a field of another type is rejected, an unknown one only if the client asks for that") {
  Json bad = job("a");
  bad["spec"]["parallelism"] = "three";
  CHECK(string_at(expect(400, "POST", kJobs, bad), {"message"}).find("spec.parallelism must be an integer") !=
        std::string::npos);
  bad = job("a");
  bad["spec"]["template"]["spec"]["containers"] = "none";
  expect(400, "POST", kJobs, bad);
  bad = job("a");
  bad["spec"]["paralelism"] = 1;
  CHECK(string_at(expect(400, "POST", kJobs + "?fieldValidation=Strict", bad), {"message"})
            .find("unknown field \"spec.paralelism\"") != std::string::npos);
  expect(201, "POST", kJobs, bad);
}

TEST_CASE_FIXTURE(ApiFixture,
                  "admission: a job's template cannot change, except for some fields while it is suspended; "
                  "parallelism and limits can") {
  expect(201, "POST", kJobs, job("a"));
  const std::string merge = "application/merge-patch+json";
  const Json other_name = {{"spec", {{"template", {{"spec", {{"hostname", "x"}}}}}}}};
  CHECK(has_cause(patch(422, kJobs + "/a", merge, other_name), "spec.template"));
  patch(
      200, kJobs + "/a", merge,
      {{"spec", {{"suspend", true}, {"parallelism", 2}, {"backoffLimit", 0}, {"activeDeadlineSeconds", 9}}}});
  CHECK(has_cause(patch(422, kJobs + "/a", merge, {{"spec", {{"completions", 4}}}}), "spec.completions"));
  CHECK(has_cause(patch(422, kJobs + "/a", merge, other_name), "spec.template.spec"));  // suspended
  patch(200, kJobs + "/a", merge, {{"spec", {{"template", {{"spec", {{"nodeSelector", {{"a", "b"}}}}}}}}}});
  Json containers = job("a")["spec"]["template"]["spec"]["containers"];
  containers[0]["resources"] = {{"limits", {{"cpu", "1"}}}};
  patch(200, kJobs + "/a", merge, {{"spec", {{"template", {{"spec", {{"containers", containers}}}}}}}});
}

TEST_CASE_FIXTURE(ApiFixture, "admission: a pod's spec cannot change, except for a few fields") {
  expect(201, "POST", kPods, pod("a"));
  const std::string merge = "application/merge-patch+json";
  patch(200, kPods + "/a", merge, {{"spec", {{"activeDeadlineSeconds", 5}}}});
  patch(422, kPods + "/a", merge, {{"spec", {{"activeDeadlineSeconds", 6}}}});
  CHECK(has_cause(patch(422, kPods + "/a", merge, {{"spec", {{"hostname", "x"}}}}), "spec"));
}

TEST_CASE_FIXTURE(ApiFixture,
                  "admission: a container without a command is rejected with a fix, until the user sets a "
                  "command for its image") {
  Json bare = job("a");
  Json& container = bare["spec"]["template"]["spec"]["containers"][0];
  container.erase("command");
  container["args"] = Json::array({"--steps", "1"});
  container["image"] = "lab/train:1";
  Json status = expect(422, "POST", kJobs, bare);
  CHECK(has_cause(status, "spec.template.spec.containers[0].command"));
  CHECK(string_at(status, {"message"}).find("kml local image lab/train:1=COMMAND") != std::string::npos);
  set_image(folder.path(), "lab/train:1", {"/bin/echo", "hi"});
  expect(201, "POST", kJobs, bare);
}

TEST_CASE_FIXTURE(ApiFixture,
                  "admission: a pod's priority comes from its class, or from the global default") {
  CHECK(expect(201, "POST", kPods, pod("a"))["spec"]["priority"] == 0);
  expect(201, "POST", kClasses, priority_class("high", 1000000, false));
  expect(201, "POST", kClasses, priority_class("low", 5, true));
  Json urgent = pod("b");
  urgent["spec"]["priorityClassName"] = "high";
  CHECK(expect(201, "POST", kPods, urgent)["spec"]["priority"] == 1000000);
  Json usual = expect(201, "POST", kPods, pod("c"));
  CHECK(usual["spec"]["priority"] == 5);
  CHECK(usual["spec"]["priorityClassName"] == "low");
  Json unknown = pod("d");
  unknown["spec"]["priorityClassName"] = "none";
  CHECK(string_at(expect(403, "POST", kPods, unknown), {"message"}) ==
        "pods \"d\" is forbidden: no PriorityClass with name none was found");
  Json cheat = pod("e");
  cheat["spec"]["priority"] = 99;
  expect(403, "POST", kPods, cheat);
  expect(403, "POST", kClasses, priority_class("second", 1, true));
  expect(422, "POST", kClasses, priority_class("system-mine", 1, false));
  expect(422, "POST", kClasses, priority_class("huge", 2000000000, false));
}

TEST_CASE_FIXTURE(ApiFixture, "admission: a secret's text is encoded in base64; a claim needs a size") {
  Json secret = expect(201, "POST", "/api/v1/namespaces/default/secrets",
                       {{"metadata", {{"name", "s"}}}, {"stringData", {{"k", "v"}}}});
  CHECK(secret["data"]["k"] == "dg==");
  CHECK(!secret.contains("stringData"));
  const std::string claims = "/api/v1/namespaces/default/persistentvolumeclaims";
  Json claim = {{"metadata", {{"name", "c"}}}, {"spec", {{"accessModes", Json::array({"ReadWriteOnce"})}}}};
  CHECK(has_cause(expect(422, "POST", claims, claim), "spec.resources[storage]"));
  claim["spec"]["resources"]["requests"]["storage"] = "1Gi";
  CHECK(expect(201, "POST", claims, claim)["status"]["phase"] == "Bound");
}

TEST_CASE_FIXTURE(ApiFixture,
                  "admission: a PyTorchJob has at most one master, and needs containers called pytorch") {
  Json replica = {{"template", {{"spec", pod("x")["spec"]}}}};
  Json training = {{"metadata", {{"name", "t"}}}, {"spec", {{"pytorchReplicaSpecs", {{"Master", replica}}}}}};
  CHECK(has_cause(expect(422, "POST", kTrainingJobs, training),
                  "spec.pytorchReplicaSpecs[Master].template.spec.containers"));
  Json& master = training["spec"]["pytorchReplicaSpecs"]["Master"];
  master["template"]["spec"]["containers"][0]["name"] = "pytorch";
  Json made = expect(201, "POST", kTrainingJobs, training);
  CHECK(made["spec"]["pytorchReplicaSpecs"]["Master"]["replicas"] == 1);
  CHECK(made["spec"]["runPolicy"]["cleanPodPolicy"] == "None");
  master["replicas"] = 2;
  training["metadata"]["name"] = "u";
  expect(422, "POST", kTrainingJobs, training);
}

}  // namespace admission_test
