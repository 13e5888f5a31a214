#include "serve/model/activator_objects.h"

#include <utility>

#include "engine/in_cluster/kml_pod.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/serve/model/activator.h"

namespace kml::serve {

namespace {

// While a pod is being deleted, it still gets new connections for a moment, and must finish its existing
// ones.
constexpr int kSecondsBeforeStop = 5;
constexpr int kGrace = 60;

/// Only allows access to its own Deployment and Service, and to pods. Watching a single object only needs
/// access to its name (requests with the field selector metadata.name are authorized in this way).
Json rules_for(const std::string& name) {
  Json rules = Json::array({engine::rule("apps", "deployments", {"list", "watch", "update"}),
                            engine::rule("", "services", {"list", "watch"})});
  for (Json& own : rules) own["resourceNames"] = Json::array({name});
  rules.push_back(engine::rule("", "pods", {"list", "watch"}));
  return rules;
}

/// Requires the same host, zone and architecture as the model's nodes, but not their GPUs or node pool,
/// because the activator must not keep an expensive node in use.
Json place_of(const Json& served) {
  Json place = Json::object();
  for (const auto& [label, value] :
       object_at(api::spec_of(api::pod_template_of(served)), {"nodeSelector"}).items())
    if (label.starts_with("kubernetes.io/") || label.starts_with("topology.kubernetes.io/"))
      place[label] = value;
  return place;
}

Json pod_template_of_activator(const Json& served, const engine::EngineOptions& options, int port) {
  const std::string name = api::name_of(served), number = std::to_string(port);
  Json pod =
      engine::kml_pod(options, activator_name(name), {"kml", "serve", "activator", name, "--port", number});
  pod["terminationGracePeriodSeconds"] = kGrace;
  if (Json place = place_of(served); !place.empty()) pod["nodeSelector"] = std::move(place);
  // Allows ports below 1024, too.
  pod["securityContext"]["sysctls"] =
      Json::array({{{"name", "net.ipv4.ip_unprivileged_port_start"}, {"value", "0"}}});
  Json& container = pod["containers"][0];
  container["name"] = "activator";
  container["ports"] = Json::array({{{"containerPort", port}, {"name", "http"}}});
  container["readinessProbe"] = {{"tcpSocket", {{"port", port}}}, {"periodSeconds", 1}};
  container["lifecycle"] = {{"preStop", {{"sleep", {{"seconds", kSecondsBeforeStop}}}}}};
  return {{"metadata", {{"labels", {{std::string(api::kActivator), name}}}}}, {"spec", std::move(pod)}};
}

}  // namespace

std::vector<Json> activator_objects(const Json& served, const engine::EngineOptions& options, int port) {
  const std::string name = api::name_of(served);
  const Json labels = {{std::string(api::kActivator), name},
                       {std::string(api::kManagedBy), "kml"},
                       {std::string(api::kUser), options.user}};
  const Json metadata = {
      {"name", activator_name(name)}, {"namespace", api::namespace_of(served)}, {"labels", labels}};
  std::vector<Json> objects;
  if (options.service_account.empty()) objects = engine::account_objects(metadata, rules_for(name));
  const Json selected = {{std::string(api::kActivator), name}};
  Json spec = {
      {"replicas", 1},
      {"selector", {{"matchLabels", selected}}},
      {"strategy", {{"type", "RollingUpdate"}, {"rollingUpdate", {{"maxSurge", 1}, {"maxUnavailable", 0}}}}},
      {"template", pod_template_of_activator(served, options, port)}};
  objects.push_back(
      {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"metadata", metadata}, {"spec", std::move(spec)}});
  return objects;
}

engine::EngineOptions activator_options(const Json& activator) {
  const Json& pod = api::spec_of(api::pod_template_of(activator));
  const std::string account = string_at(pod, {"serviceAccountName"});
  return {.image = string_at(array_at(pod, {"containers"}).at(0), {"image"}),
          .claim = {},
          .sub_path = {},
          .service_account = account == api::name_of(activator) ? "" : account,
          .user = api::label_of(activator, api::kUser)};
}

}  // namespace kml::serve
