#include "local/admission/field_support.h"

#include <algorithm>
#include <map>
#include <set>

#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/kube/objects/field_types.h"
#include "local/api_fixture.h"

namespace field_support_test {

using namespace kml;
using namespace kml::local;

namespace {

/// The fields of a JobSpec in Kubernetes' OpenAPI: types by "TYPE.FIELD".
const std::map<std::string, std::string>& recorded_fields() {
  static const auto fields = [] {
    std::map<std::string, std::string> found;
    const std::string file = std::string(KML_SOURCE_DIR) + "/tests/recorded/kubernetes/job_fields-1.37.txt";
    for (const std::string& line : split(read_file(file), '\n'))
      if (const size_t space = line.find(' '); space != std::string::npos)
        found[line.substr(0, space)] = line.substr(space + 1);
    return found;
  }();
  return fields;
}

std::string without_brackets(std::string type) {
  std::erase_if(type, [](char c) { return std::string_view("[]{}").find(c) != std::string_view::npos; });
  return type;
}

/// Collects the relevant fields: not those inside a field that is rejected or ignored as a whole.
void collect(const std::string& type, std::set<std::string>& seen) {
  const std::string prefix = type + ".";
  for (auto it = recorded_fields().lower_bound(prefix);
       it != recorded_fields().end() && it->first.starts_with(prefix); ++it) {
    if (!seen.insert(it->first).second) continue;
    const FieldSupport* support = find_support(type, it->first.substr(prefix.size()));
    CHECK_MESSAGE(support, it->first << " is not in the table of field_support.cc");
    if (support && (support->support == Support::obeyed || support->support == Support::needs_root))
      collect(without_brackets(it->second), seen);
  }
}

Json with_pod_spec(const std::string& fields) {
  Json object = pod("p");
  object["spec"].merge_patch(Json::parse(fields));
  return object;
}

Json with_container(const std::string& fields) {
  Json object = pod("p");
  object["spec"]["containers"][0].merge_patch(Json::parse(fields));
  return object;
}

}  // namespace

TEST_CASE("field_support: each field of a Job in the OpenAPI of Kubernetes 1.37 is in the table") {
  REQUIRE(recorded_fields().size() > 500);
  std::set<std::string> seen;
  collect("JobSpec", seen);
  CHECK(seen.size() > 200);
  for (const FieldSupport& support : field_supports())
    CHECK_MESSAGE(seen.contains(std::string(support.field)), support.field << " is no field of a Job");
}

TEST_CASE("field_support: the types of fields are those of the OpenAPI") {
  for (const auto& [field, type] : recorded_fields()) {
    const size_t dot = field.find('.');
    const std::string of = field.substr(0, dot);
    if (of == "ObjectMeta" || of == "OwnerReference" || of == "ManagedFieldsEntry")
      continue;  // all kinds have these
    const std::string* known = api::type_of_field(of, field.substr(dot + 1));
    REQUIRE_MESSAGE(known, field << " is not in field_table.cc");
    CHECK_MESSAGE(*known == (type == "ObjectMeta" ? "Meta" : type), field);
  }
}

TEST_CASE_FIXTURE(ApiFixture,
                  "field_support: a field that would change how the pod runs is rejected with its path") {
  Json object;
  std::string path;
  SUBCASE("runtime class") {
    object = with_pod_spec(R"({"runtimeClassName": "gvisor"})");
    path = "spec.runtimeClassName";
  }
  SUBCASE("sysctls") {
    object = with_pod_spec(
        R"({"securityContext": {"sysctls": [{"name": "kernel.shm_rmid_forced", "value": "0"}]}})");
    path = "spec.securityContext.sysctls";
  }
  SUBCASE("a volume") {
    object = with_pod_spec(R"({"volumes": [{"name": "v", "nfs": {"server": "s", "path": "/"}}]})");
    path = "spec.volumes[0].nfs";
  }
  SUBCASE("a sidecar") {
    object = with_pod_spec(
        R"({"initContainers": [{"name": "i", "image": "x", "command": ["true"], "restartPolicy": "Always"}]})");
    path = "spec.initContainers[0].restartPolicy";
  }
  SUBCASE("a path with variables") {
    object =
        with_container(R"-({"volumeMounts": [{"name": "v", "mountPath": "/v", "subPathExpr": "$(A)"}]})-");
    object["spec"]["volumes"] = Json::parse(R"([{"name": "v", "emptyDir": {}}])");
    path = "spec.containers[0].volumeMounts[0].subPathExpr";
  }
  SUBCASE("Windows") {
    object = with_pod_spec(R"({"os": {"name": "windows"}})");
    path = "spec.os.name";
  }
  const Json answer = expect(422, "POST", kPods, object);
  REQUIRE(array_at(answer, {"details", "causes"}).size() == 1);
  CHECK(answer["details"]["causes"][0]["field"] == path);
  CHECK(string_at(answer, {"message"}).find("not supported by the embedded server") != std::string::npos);
}

TEST_CASE_FIXTURE(ApiFixture, "field_support: unsupported fields of a Job are rejected, too") {
  Json object = job("j");
  object["spec"]["successPolicy"] = Json::parse(R"({"rules": [{"succeededCount": 1}]})");
  object["spec"]["managedBy"] = "example.com/other";
  const Json answer = expect(422, "POST", kJobs, object);
  const Json& causes = array_at(answer, {"details", "causes"});
  REQUIRE(causes.size() == 2);
  CHECK(causes[0]["field"] == "spec.managedBy");
  CHECK(causes[1]["field"] == "spec.successPolicy");
  object["spec"].erase("successPolicy");
  object["spec"]["managedBy"] = "kubernetes.io/job-controller";
  expect(201, "POST", kJobs, object);
}

TEST_CASE_FIXTURE(ApiFixture, "field_support: each ignored field gets a warning with its path") {
  Json object =
      with_container(R"({"lifecycle": {"postStart": {"sleep": {"seconds": 1}}}, "tty": true, "stdin": false,
                                   "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}})");
  object["spec"].merge_patch(Json::parse(R"({"hostUsers": false, "hostPID": false, "hostAliases": [],
      "schedulerName": "volcano", "volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}]})"));
  HttpResponse response = send("POST", kPods, object.dump());
  CHECK(response.status == 201);
  std::vector<std::string> paths;
  for (const std::string& warning : response.warnings) paths.push_back(warning.substr(0, warning.find(':')));
  CHECK(join(paths, " ") ==
        "spec.containers[0].lifecycle.postStart spec.containers[0].securityContext.seccompProfile "
        "spec.containers[0].tty spec.hostUsers spec.schedulerName spec.volumes[0].emptyDir.sizeLimit");
  REQUIRE(!response.warnings.empty());
  CHECK(response.warnings[0] ==
        "spec.containers[0].lifecycle.postStart: ignored by the embedded server: the only hook is preStop");
}

TEST_CASE_FIXTURE(ApiFixture, "field_support: for an ordinary pod, nothing is reported") {
  Json object = with_container(R"({"imagePullPolicy": "Always", "ports": [{"containerPort": 80}],
      "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}})");
  object["spec"].merge_patch(Json::parse(R"({"hostUsers": true, "schedulerName": "default-scheduler",
      "dnsPolicy": "ClusterFirst", "securityContext": {"seccompProfile": {"type": "Unconfined"}}})"));
  HttpResponse response = send("POST", kPods, object.dump());
  CHECK(response.status == 201);
  CHECK(response.warnings.empty());
}

TEST_CASE("field_support: only root can run a pod as another user") {
  const Json spec = Json::parse(R"({"securityContext": {"runAsUser": 4294967290},
                                    "containers": [{"securityContext": {"privileged": true}}]})");
  CHECK(unobeyed_fields("PodSpec", spec, "spec", true).empty());
  const std::vector<UnobeyedField> fields = unobeyed_fields("PodSpec", spec, "spec", false);
  REQUIRE(fields.size() == 2);
  CHECK(fields[0].path == "spec.containers[0].securityContext.privileged");
  CHECK(fields[1].path == "spec.securityContext.runAsUser");
}

TEST_CASE_FIXTURE(ApiFixture, "field_support: an unknown field within a probe is reported, as elsewhere") {
  const Json object = with_container(R"({"livenessProbe": {"exce": {}}})");
  const Json refused = expect(400, "POST", kPods + "?fieldValidation=Strict", object);
  CHECK(string_at(refused, {"message"}).find("unknown field \"spec.containers[0].livenessProbe.exce\"") !=
        std::string::npos);
}

}  // namespace field_support_test
