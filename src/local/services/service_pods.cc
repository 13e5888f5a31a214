#include "local/services/service_pods.h"

#include <string>
#include <utility>

#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/selector.h"
#include "kml/kube/objects/unready.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

const Json& service_selector_of(const Json& service) {
  return object_at(service, {"spec", "selector"});
}

}  // namespace

bool has_ports(const Json& service) {
  return !service_selector_of(service).empty() && string_at(service, {"spec", "clusterIP"}) != "None" &&
         string_at(service, {"spec", "type"}) != "ExternalName";
}

bool selects(const Json& service, const Json& labelled) {
  return api::LabelSelector::from_json({{"matchLabels", service_selector_of(service)}})
      .matches(api::labels_of(labelled));
}

std::vector<int> targets_of(const Json& service, const Json& port, const std::vector<ObjectPtr>& pods) {
  const bool takes_all = bool_at(service, {"spec", "publishNotReadyAddresses"});
  const Json target = port.value("targetPort", port.at("port"));
  std::vector<int> targets;
  for (const ObjectPtr& pod : pods) {
    if (pod_has_ended(*pod) || is_being_deleted(*pod) || !selects(service, *pod)) continue;
    if (!api::condition_is_true(*pod, "Ready") && !(takes_all && phase_of(*pod) == "Running")) continue;
    if (const int number = api::container_port(api::spec_of(*pod), target); number > 0)
      targets.push_back(api::machine_port(*pod, number));
  }
  return targets;
}

ObjectPtr idle_deployment_of(const Store& store, const Json& service) {
  for (const ObjectPtr& deployment : store.list(kinds::deployment, namespace_of(service)))
    if (api::idle_limit_of(*deployment) && selects(service, api::pod_template_of(*deployment)))
      return deployment;
  return nullptr;
}

void explain_unready(ServiceRoute& route, const Json& service, const std::vector<ObjectPtr>& pods) {
  for (const ObjectPtr& pod : pods) {
    if (pod_has_ended(*pod) || is_being_deleted(*pod) || !selects(service, *pod)) continue;
    api::Unready unready = api::why_unready(*pod);
    route.problem = std::move(unready.problem);
    route.is_hopeless = unready.is_hopeless;
    if (route.is_hopeless) return;
  }
}

}  // namespace kml::local
