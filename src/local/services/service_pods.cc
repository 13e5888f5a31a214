#include "local/services/service_pods.h"

#include <fmt/format.h>

#include <string>

#include "kml/api/container.h"
#include "kml/api/idle.h"
#include "kml/api/job.h"
#include "kml/api/object.h"
#include "kml/api/pod.h"
#include "kml/api/selector.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

const Json& service_selector_of(const Json& service) {
  return object_at(service, {"spec", "selector"});
}

std::string problem_of_container(const Json& status, ServiceRoute& route) {
  const std::string reason = api::waiting_reason(status), message = api::waiting_message(status);
  route.is_hopeless = reason == "CrashLoopBackOff";
  const Json* ended = api::last_terminated_in(status);
  if (route.is_hopeless && ended) return fmt::format("crashed with exit code {}", api::exit_code_of(*ended));
  if (reason.empty()) return api::is_running(status) ? "runs, but is not ready" : "starts";
  return "is waiting: " + (message.empty() ? reason : message);
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
    const api::Condition scheduled = api::condition(*pod, "PodScheduled");
    const Json& statuses = api::container_statuses(*pod);
    route.problem = fmt::format("pod {} {}", name_of(*pod),
                                scheduled && !scheduled.is_true() ? "is waiting: " + scheduled.message()
                                : statuses.empty()                ? "starts"
                                                                  : problem_of_container(statuses[0], route));
    if (route.is_hopeless) return;
  }
}

}  // namespace kml::local
