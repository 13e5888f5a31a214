#include "kml/serve/model/manifests.h"

#include <algorithm>

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::serve {

namespace {

// In seconds; must be longer than the first pause in kPreStop.
constexpr int kShortestGrace = 10;

/// Removes marks that belong to a single submit or to a job's queue.
void take_out_marks(Json& metadata) {
  for (const char* part : {"labels", "annotations"})
    for (const std::string_view mark : {api::kSubmitId, api::kKueueQueue, api::kGang})
      if (metadata.contains(part)) metadata[part].erase(std::string(mark));
}

void set_variable(Json& container, const std::string& name, const std::string& value) {
  Json& variables = container["env"];
  if (variables.is_null()) variables = Json::array();
  std::erase_if(variables.get_ref<Json::array_t&>(),
                [&](const Json& variable) { return api::entry_name(variable) == name; });
  // The variable comes first, so that others can refer to it.
  variables.insert(variables.begin(), Json{{"name", name}, {"value", value}});
}

Json pod_template(const Json& job, const ServeSettings& settings) {
  Json made = api::pod_template_of(job);
  Json& metadata = made["metadata"];
  if (metadata.is_null()) metadata = Json::object();
  take_out_marks(metadata);
  metadata["labels"][std::string(api::kServe)] = settings.name;
  Json& spec = made["spec"];
  spec["restartPolicy"] = "Always";
  spec["terminationGracePeriodSeconds"] =
      std::max<long long>(kShortestGrace, int_at(spec, {"terminationGracePeriodSeconds"}, 30));
  Json& container = spec["containers"][0];
  set_variable(container, "PORT", std::to_string(settings.port));
  container["ports"] = Json::array({{{"containerPort", settings.port}, {"name", kPortName}}});
  container["lifecycle"] = {{"preStop", {{"exec", {{"command", {"sh", "-c", kPreStop}}}}}}};
  Json probe = {{"periodSeconds", 1}, {"timeoutSeconds", 5}, {"failureThreshold", 3}};
  if (settings.ready_path.empty())
    probe["tcpSocket"] = {{"port", settings.port}};
  else
    probe["httpGet"] = {{"path", settings.ready_path}, {"port", settings.port}};
  container["readinessProbe"] = std::move(probe);
  return made;
}

}  // namespace

std::string serve_selector(const std::string& name) {
  return std::string(api::kServe) + (name.empty() ? "" : "=" + name);
}

Json serve_deployment(const Json& job, const ServeSettings& settings) {
  const std::string label(api::kServe);
  Json metadata = {{"name", settings.name},
                   {"namespace", api::namespace_of(job)},
                   {"labels", api::labels_of(job)},
                   {"annotations", api::annotations_of(job)}};
  metadata["labels"].erase(std::string(api::kKueueQueue));
  metadata["labels"][label] = settings.name;
  if (settings.idle)
    metadata["annotations"][std::string(api::kIdle)] = std::to_string(settings.idle->count()) + "s";
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", std::move(metadata)},
          {"spec",
           {{"replicas", settings.replicas.value_or(1)},
            {"selector", {{"matchLabels", {{label, settings.name}}}}},
            {"strategy",
             {{"type", "RollingUpdate"}, {"rollingUpdate", {{"maxSurge", 1}, {"maxUnavailable", 0}}}}},
            {"template", pod_template(job, settings)}}}};
}

Json serve_service(const Json& deployment, int port, bool by_activator) {
  const std::string label(api::kServe), name = api::name_of(deployment),
                                        selected(by_activator ? api::kActivator : api::kServe);
  Json metadata = {{"name", name},
                   {"namespace", api::namespace_of(deployment)},
                   {"labels", {{label, name}, {std::string(api::kManagedBy), "kml"}}}};
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", std::move(metadata)},
          {"spec",
           {{"selector", {{selected, name}}},
            {"ports", Json::array({{{"name", kPortName}, {"port", port}, {"targetPort", kPortName}}})}}}};
}

long long planned_replicas(const ServeSettings& settings, const Json& existing) {
  if (settings.replicas) return *settings.replicas;
  return existing.is_null() ? 1 : std::max(1LL, api::replicas_when_used(existing));
}

Json updated_deployment(Json existing, const Json& wanted, const ServeSettings& settings) {
  const long long replicas = planned_replicas(settings, existing);
  if (Json& annotations = existing["metadata"]["annotations"]; annotations.is_object())
    for (const std::string_view mark : {kServedBy, kServedInputs, api::kIdleReplicas})
      annotations.erase(std::string(mark));
  for (const char* part : {"labels", "annotations"})
    existing["metadata"][part].update(wanted.at("metadata").value(part, Json::object()));
  existing["spec"].update(wanted.at("spec"));
  existing["spec"]["replicas"] = replicas;
  return existing;
}

}  // namespace kml::serve
