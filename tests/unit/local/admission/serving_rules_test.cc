#include "kml/base/text.h"
#include "local/api_fixture.h"

namespace serving_rules_test {

using namespace kml;
using namespace kml::local;

namespace {

const std::string kDeployments = "/apis/apps/v1/namespaces/default/deployments";
const std::string kServices = "/api/v1/namespaces/default/services";

Json deployment(const std::string& more = "{}") {
  Json pod_template = {{"metadata", {{"labels", {{"app", "web"}}}}}, {"spec", pod("p")["spec"]}};
  Json object = {{"metadata", {{"name", "web"}}},
                 {"spec", {{"selector", {{"matchLabels", {{"app", "web"}}}}}, {"template", pod_template}}}};
  object["spec"].merge_patch(Json::parse(more));
  return object;
}

Json service(const std::string& more = "{}") {
  Json object = {{"metadata", {{"name", "web"}}},
                 {"spec", {{"selector", {{"app", "web"}}}, {"ports", {{{"port", 80}}}}}}};
  object["spec"].merge_patch(Json::parse(more));
  return object;
}

/// The causes, each in the form "FIELD: MESSAGE".
std::string causes_of(const Json& answer) {
  std::vector<std::string> texts;
  for (const Json& cause : array_at(answer, {"details", "causes"}))
    texts.push_back(string_at(cause, {"field"}) + ": " + string_at(cause, {"message"}));
  return join(texts, "\n");
}

}  // namespace

TEST_CASE_FIXTURE(ApiFixture, "deployment: gets the API server's defaults") {
  const Json made = expect(201, "POST", kDeployments, deployment());
  const Json& spec = made["spec"];
  CHECK(spec["replicas"] == 1);
  CHECK(spec["revisionHistoryLimit"] == 10);
  CHECK(spec["progressDeadlineSeconds"] == 600);
  CHECK(spec["strategy"] ==
        Json::parse(
            R"({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}})"));
  CHECK(spec["template"]["spec"]["restartPolicy"] == "Always");
}

TEST_CASE_FIXTURE(ApiFixture, "deployment: faults are named as the API server names them") {
  std::string more, wanted;
  SUBCASE("selector") {
    more = R"({"selector": {"matchLabels": {"app": "other"}}})";
    wanted =
        "spec.template.metadata.labels: Invalid value: {\"app\":\"web\"}: `selector` does not match template "
        "`labels`";
  }
  SUBCASE("restart policy") {
    more = R"({"template": {"spec": {"restartPolicy": "OnFailure"}}})";
    wanted =
        "spec.template.spec.restartPolicy: Unsupported value: \"OnFailure\": supported values: \"Always\"";
  }
  SUBCASE("neither surge nor unavailable pods") {
    more = R"({"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "0%"}}})";
    wanted =
        "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"0%\": may not be 0 when `maxSurge` is "
        "0";
  }
  SUBCASE("limits with Recreate") {
    more = R"({"strategy": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}})";
    wanted =
        "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'";
  }
  SUBCASE("deadline") {
    more = R"({"progressDeadlineSeconds": 5, "minReadySeconds": 5})";
    wanted = "spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds";
  }
  SUBCASE("a field of the pod that the server does not support") {
    more = R"({"template": {"spec": {"runtimeClassName": "gvisor"}}})";
    wanted =
        "spec.template.spec.runtimeClassName: Forbidden: not supported by the embedded server: the server "
        "has no runtime classes";
  }
  CHECK(causes_of(expect(422, "POST", kDeployments, deployment(more))) == wanted);
}

TEST_CASE_FIXTURE(ApiFixture, "deployment: the subresource scale reads and sets the number of replicas") {
  const Json made = expect(201, "POST", kDeployments, deployment());
  Json scale = expect(200, "GET", kDeployments + "/web/scale");
  CHECK(scale["kind"] == "Scale");
  CHECK(scale["spec"]["replicas"] == 1);
  CHECK(scale["status"]["selector"] == "app=web");
  scale["spec"]["replicas"] = 3;
  CHECK(expect(200, "PUT", kDeployments + "/web/scale", scale)["spec"]["replicas"] == 3);
  expect(409, "PUT", kDeployments + "/web/scale", scale);  // the object has an old resourceVersion
  const Json two = {{"spec", {{"replicas", 2}}}};
  CHECK(patch(200, kDeployments + "/web/scale", "application/merge-patch+json", two)["spec"]["replicas"] ==
        2);
  const Json now = expect(200, "GET", kDeployments + "/web");
  CHECK(now["spec"]["replicas"] == 2);
  CHECK(now["metadata"]["generation"] == 3);
  const Json less = {{"spec", {{"replicas", -1}}}};
  patch(422, kDeployments + "/web/scale", "application/merge-patch+json", less);
  expect(404, "GET", kDeployments + "/none/scale");
}

TEST_CASE_FIXTURE(ApiFixture,
                  "service: gets defaults, faults are rejected, and ignored fields get a warning") {
  const Json made = expect(201, "POST", kServices, service());
  CHECK(made["spec"]["type"] == "ClusterIP");
  CHECK(made["spec"]["clusterIP"] == "127.0.0.1");
  CHECK(made["spec"]["ports"][0] == Json{{"port", 80}, {"protocol", "TCP"}, {"targetPort", 80}});
  std::string more, wanted;
  SUBCASE("no ports") {
    more = R"({"ports": null})";
    wanted = "spec.ports: Required value";
  }
  SUBCASE("two ports need names") {
    more = R"({"ports": [{"port": 80}, {"port": 81, "name": "b"}]})";
    wanted = "spec.ports[0].name: Required value";
  }
  SUBCASE("UDP") {
    more = R"({"ports": [{"port": 80, "protocol": "UDP"}]})";
    wanted = "spec.ports[0].protocol: Forbidden: not supported by the embedded server: it forwards only TCP";
  }
  SUBCASE("another name") {
    more = R"({"type": "ExternalName", "externalName": "example.com"})";
    wanted = "spec.type: Forbidden: not supported by the embedded server: it has no DNS; use the name itself";
  }
  CHECK(causes_of(expect(422, "POST", kServices, service(more))) == wanted);

  Json headless = service(R"({"clusterIP": "None", "ports": null})");
  headless["metadata"]["name"] = "ranks";
  expect(201, "POST", kServices, headless);
  Json sticky = service(R"({"sessionAffinity": "ClientIP"})");
  sticky["metadata"]["name"] = "sticky";
  CHECK(
      send("POST", kServices, sticky.dump()).warnings ==
      std::vector<std::string>{"spec.sessionAffinity: ignored by the embedded server: the pods take turns"});
}

TEST_CASE_FIXTURE(ApiFixture, "probes: get defaults, and faults are rejected") {
  Json object = pod("p");
  Json& container = object["spec"]["containers"][0];
  container["readinessProbe"] = Json::parse(R"({"httpGet": {"port": 80}, "periodSeconds": 0})");
  const Json made = expect(201, "POST", kPods, object)["spec"]["containers"][0]["readinessProbe"];
  CHECK(made == Json::parse(R"({"httpGet": {"path": "/", "port": 80, "scheme": "HTTP"}, "failureThreshold": 3,
                               "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1})"));
  object["metadata"]["name"] = "q";
  std::string wanted;
  const std::string path = "spec.containers[0].";
  SUBCASE("two actions") {
    container["readinessProbe"]["tcpSocket"] = {{"port", 80}};
    wanted = path + "readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type";
  }
  SUBCASE("no action") {
    container["readinessProbe"] = {{"periodSeconds", 1}};
    wanted = path + "readinessProbe: Required value: must specify a handler type";
  }
  SUBCASE("a liveness probe needs one success") {
    container["livenessProbe"] = Json::parse(R"({"exec": {"command": ["true"]}, "successThreshold": 2})");
    wanted = path + "livenessProbe.successThreshold: Invalid value: 2: must be 1";
  }
  SUBCASE("TLS") {
    container["readinessProbe"]["httpGet"]["scheme"] = "HTTPS";
    wanted = path +
             "readinessProbe.httpGet.scheme: Forbidden: not supported by the embedded server: probes do not "
             "speak TLS";
  }
  CHECK(causes_of(expect(422, "POST", kPods, object)) == wanted);
}

}  // namespace serving_rules_test
