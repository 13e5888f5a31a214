#include "serve/model/kserve.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/serve/model/rollout.h"
#include "kml/serve/model/served.h"
#include "serve/model/serve.h"
#include "support/fake_transport.h"

namespace kserve_test {

using namespace kml;
using namespace kml::serve;

namespace {

constexpr const char* kService = "/apis/serving.kserve.io/v1beta1/namespaces/lab/inferenceservices/iris";
constexpr const char* kServices = "/apis/serving.kserve.io/v1beta1/namespaces/lab/inferenceservices";
constexpr const char* kDeployments = "/apis/apps/v1/namespaces/lab/deployments";
constexpr const char* kSets = "/apis/apps/v1/namespaces/lab/replicasets";

const Json kNone = {{"kind", "Status"}, {"reason", "NotFound"}};
const ServeSettings kSettings = {.name = "iris", .by_kserve = true};

/// What `kml serve -t kserve` would create for this command.
Json wanted(const std::string& command, const ServeSettings& settings = kSettings,
            const std::string& submit = "s1") {
  const Json job = {{"metadata",
                     {{"name", "iris"},
                      {"namespace", "lab"},
                      {"labels", {{"app.kubernetes.io/managed-by", "kml"}, {"kml.dev/submit-id", submit}}},
                      {"annotations",
                       {{"kml.dev/command", command},
                        {"kml.dev/submitted", "at " + submit},
                        {"serving.kserve.io/x", "y"}}}}},
                    {"spec",
                     {{"template",
                       {{"metadata", {{"labels", {{"team", "vision"}}}}},
                        {"spec", {{"containers", {{{"name", "main"}, {"command", {command}}}}}}}}}}}};
  return inference_service(serve_deployment(job, settings));
}

/// The Deployment that KServe makes of an InferenceService, with the labels and annotations of both the
/// InferenceService and its predictor.
Json made_by_kserve(const Json& service, int revision) {
  const Json& predictor = service.at("spec").at("predictor");
  Json labels = service.at("metadata").at("labels"), annotations = service.at("metadata").at("annotations");
  labels.update(predictor.at("labels"));
  annotations.update(predictor.at("annotations"));
  labels.update({{"serving.kserve.io/inferenceservice", "iris"},
                 {"component", "predictor"},
                 {"app", "isvc.iris-predictor"}});
  Json pod = predictor;
  for (const char* field : {"labels", "annotations", "minReplicas", "maxReplicas", "deploymentStrategy"})
    pod.erase(field);
  Json deployment = {
      {"metadata",
       {{"name", "iris-predictor"},
        {"namespace", "lab"},
        {"uid", "d1"},
        {"labels", labels},
        {"annotations", annotations},
        {"ownerReferences", {{{"uid", "i1"}, {"controller", true}}}}}},
      {"spec",
       {{"replicas", predictor.at("minReplicas")},
        {"template", {{"metadata", {{"labels", labels}, {"annotations", annotations}}}, {"spec", pod}}}}}};
  deployment["metadata"]["annotations"]["deployment.kubernetes.io/revision"] = std::to_string(revision);
  return deployment;
}

Json set_of(const Json& deployment) {
  Json set = deployment;
  set["metadata"]["ownerReferences"] = Json::array({{{"uid", "d1"}, {"controller", true}}});
  set["metadata"]["annotations"]["kml.dev/rollout"] = "ready";
  set["spec"]["template"]["metadata"]["labels"]["pod-template-hash"] = "abc";
  return set;
}

Json on_server(Json service) {
  service["metadata"]["uid"] = "i1";
  return service;
}

Json list_of(std::vector<Json> items) {
  return {{"metadata", {{"resourceVersion", "1"}}}, {"items", std::move(items)}};
}

}  // namespace

TEST_CASE(
    "kserve: an InferenceService describes the same pods as kml's Deployment, and does not use Knative") {
  const Json service = wanted("train", {.name = "iris", .replicas = 2, .by_kserve = true});
  const Json& predictor = service["spec"]["predictor"];
  CHECK(service["kind"] == "InferenceService");
  CHECK(service["metadata"]["labels"]["kml.dev/serve"] == "iris");
  CHECK(service["metadata"]["annotations"] == Json{{"serving.kserve.io/deploymentMode", "RawDeployment"},
                                                   {"serving.kserve.io/autoscalerClass", "none"},
                                                   {"serving.kserve.io/x", "y"}});
  CHECK(predictor["containers"][0]["name"] == "kserve-container");
  CHECK(predictor["containers"][0]["ports"][0]["containerPort"] == 8080);
  CHECK(predictor["minReplicas"] == 2);
  CHECK(predictor["maxReplicas"] == 2);
  CHECK(predictor["labels"]["team"] == "vision");
  CHECK(predictor["annotations"]["kml.dev/command"] == "train");
  CHECK(predictor["deploymentStrategy"]["rollingUpdate"]["maxUnavailable"] == 0);
}

TEST_CASE("kserve: repeating a command changes nothing, a different command is a new submit") {
  Json existing = wanted("train", {.name = "iris", .replicas = 3, .by_kserve = true});
  const Json same = updated_inference_service(existing, wanted("train", kSettings, "s2"), kSettings);
  CHECK(same == existing);
  const Json other = updated_inference_service(existing, wanted("other", kSettings, "s2"), kSettings);
  CHECK(other["metadata"]["labels"]["kml.dev/submit-id"] == "s2");
  CHECK(other["spec"]["predictor"]["minReplicas"] == 3);
  CHECK(other["spec"]["predictor"]["containers"][0]["command"][0] == "other");
  const Json fewer =
      updated_inference_service(existing, wanted("train", {.name = "iris", .replicas = 1, .by_kserve = true}),
                                {.name = "iris", .replicas = 1, .by_kserve = true});
  CHECK(fewer["spec"]["predictor"]["minReplicas"] == 1);
}

TEST_CASE(
    "kserve: KServe has applied an update when its Deployment has the update's pods and number of replicas") {
  const Json service = wanted("train");
  Json deployment = made_by_kserve(service, 1);
  CHECK(is_taken_up(service, deployment));
  CHECK(!is_taken_up(wanted("other"), deployment));
  deployment["spec"]["replicas"] = 5;
  CHECK(!is_taken_up(service, deployment));
  CHECK(is_taken_up({{"metadata", {{"name", "others"}}}}, deployment));
}

TEST_CASE("kserve: a rollback gives the predictor the pods of an earlier revision") {
  const Json before = wanted("train"),
             now = wanted("other", {.name = "iris", .replicas = 2, .by_kserve = true});
  const Json back = with_revision(now, set_of(made_by_kserve(before, 1)));
  CHECK(back["metadata"] == now["metadata"]);
  Json expected = before["spec"]["predictor"];
  for (const char* bound : {"minReplicas", "maxReplicas"}) expected[bound] = 2;
  expected["labels"].erase("kml.dev/serve");  // the InferenceService itself has this label
  CHECK(back["spec"]["predictor"] == expected);
  const Json model = {{"metadata", {{"name", "m"}}}, {"spec", {{"predictor", {{"model", Json::object()}}}}}};
  CHECK_THROWS_AS(with_revision(model, set_of(made_by_kserve(before, 1))), Error);
}

TEST_CASE("kserve: InferenceServices are found by name, and listed with their Deployments") {
  FakeTransport transport;
  kube::Client client(transport);
  const Json service = on_server(wanted("train")), deployment = made_by_kserve(service, 4);
  SUBCASE("found") {
    transport.answer("GET", std::string(kDeployments) + "/iris", kNone, 404);
    transport.answer("GET", kService, service);
    transport.answer("GET", kDeployments, list_of({deployment}));
    const Served found = find_served(client, "lab", "iris");
    CHECK(found.is_by_kserve());
    CHECK(served_name(found.deployment) == "iris");
    CHECK(found.deployment["metadata"]["name"] == "iris-predictor");
  }
  SUBCASE("listed, with those of others") {
    Json others = service;
    others["metadata"] = {{"name", "knative"}, {"namespace", "lab"}, {"uid", "i2"}};
    transport.answer("GET", kDeployments, list_of({deployment}));
    transport.answer("GET", kServices, list_of({service, others}));
    transport.answer("GET", kDeployments, list_of({deployment}));
    const std::vector<Served> all = list_served(client, "lab");
    REQUIRE(all.size() == 2);
    CHECK(all[0].deployment["metadata"] == deployment["metadata"]);
    CHECK(all[1].deployment.is_null());
    CHECK_NOTHROW(require_own(all[0], "stop"));
    CHECK_THROWS_AS(stop_served(client, all[1]), Error);
  }
}

TEST_CASE("kserve: the pods of an InferenceService are found by its name, as for kml port and kml exec") {
  FakeTransport transport;
  kube::Client client(transport);
  const Json service = on_server(wanted("train")), deployment = made_by_kserve(service, 4);
  const Json pod = {
      {"metadata",
       {{"name", "iris-predictor-5d4-x7k2q"},
        {"namespace", "lab"},
        {"uid", "p1"},
        {"ownerReferences",
         {{{"apiVersion", "apps/v1"},
           {"kind", "ReplicaSet"},
           {"name", "iris-predictor-5d4"},
           {"uid", "d1"},
           {"controller", true}}}}}},
      {"spec",
       {{"containers",
         {{{"name", "kserve-container"}, {"ports", {{{"name", "http"}, {"containerPort", 9000}}}}}}}}},
      {"status", {{"phase", "Running"}}}};
  transport.answer("GET", std::string(kDeployments) + "/iris", kNone, 404);
  transport.answer("GET", kService, service);
  transport.answer("GET", kDeployments, list_of({deployment}));
  transport.answer("GET", "/api/v1/namespaces/lab/pods", list_of({pod}));
  const std::vector<pod::RunningRank> ranks = served_ranks(client, "lab", "iris", "", "");
  REQUIRE(ranks.size() == 1);
  CHECK(ranks[0].name() == "iris/x7k2q");
  CHECK(ranks[0].container == "kserve-container");
  CHECK(ranks[0].served_port == 9000);
}

TEST_CASE("kserve: a rollback replaces the InferenceService, not KServe's Deployment") {
  FakeTransport transport;
  kube::Client client(transport);
  const Json before = on_server(wanted("train")), now = on_server(wanted("other"));
  const Json deployment = made_by_kserve(now, 2);
  transport.answer("GET", kSets, list_of({set_of(made_by_kserve(before, 1)), set_of(deployment)}));
  transport.answer("GET", kService, now);
  transport.answer("PUT", kService, before);
  transport.answer("GET", std::string(kDeployments) + "/iris", kNone, 404);
  transport.answer("GET", kService, before);
  transport.answer("GET", kDeployments, list_of({made_by_kserve(before, 3)}));
  transport.answer("GET", kSets, list_of({set_of(made_by_kserve(before, 3))}));
  std::string followed;
  const RolledBack done = go_back(client, deployment, {}, [&](const Rollout& rollout, std::chrono::seconds) {
    followed = rollout.name + " " + rollout.selector;
    return std::optional<RolloutFailure>();
  });
  CHECK(done.revision == 1);
  CHECK(followed == "iris serving.kserve.io/inferenceservice=iris");
}

}  // namespace kserve_test
