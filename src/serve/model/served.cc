#include "kml/serve/model/served.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/views/find.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/serve/model/manifests.h"
#include "serve/model/kserve.h"

namespace kml::serve {

namespace {

const api::ResourceKind& deployment_kind() {
  return api::known_kind("apps/v1", "Deployment");
}

/// Selects the Deployments, ReplicaSets and pods that KServe has made for an InferenceService.
std::string kserve_selector(const std::string& name) {
  return std::string(kOfInferenceService) + "=" + name;
}

/// The InferenceServices. Empty if the cluster has no KServe, or if the user may not list them.
std::vector<Json> list_inference_services(kube::Client& client, const std::string& namespace_name) {
  if (client.absent_kinds().has(kInferenceService, namespace_name)) return {};
  try {
    return client.list(kInferenceService, namespace_name).items;
  } catch (const Error& error) {
    if (!job::take_absence(client, kInferenceService, namespace_name, error)) throw;
    return {};
  }
}

std::optional<Json> get_inference_service(kube::Client& client, const std::string& namespace_name,
                                          const std::string& name) {
  if (client.absent_kinds().has(kInferenceService, namespace_name)) return {};
  try {
    return client.get_if_exists(kInferenceService, namespace_name, name);
  } catch (const Error& error) {
    if (!job::take_absence(client, kInferenceService, namespace_name, error)) throw;
    return {};
  }
}

Served served_by_kserve(Json object, const std::vector<Json>& deployments) {
  Served served{std::move(object), {}};
  for (const Json& one : deployments)
    if (is_deployment_of(one, served.object)) served.deployment = one;
  return served;
}

}  // namespace

bool Served::is_by_kserve() const {
  return is_inference_service(object);
}

void require_own(const Served& served, const std::string& action) {
  if (!served.is_by_kserve() || api::label_of(served.object, api::kManagedBy) == "kml") return;
  const std::string name = api::name_of(served.object);
  throw Error(ErrorCode::failure, "InferenceService " + name + " was not made by kml",
              "kml serve does not " + action + " such an InferenceService",
              "change or delete it with the tool that made it");
}

std::string served_name(const Json& deployment) {
  const std::string name = api::label_of(deployment, kOfInferenceService);
  return name.empty() ? api::name_of(deployment) : name;
}

std::string replica_selector(const Json& deployment) {
  const std::string name = api::label_of(deployment, kOfInferenceService);
  return name.empty() ? serve_selector(api::name_of(deployment)) : kserve_selector(name);
}

namespace {

/// The served program; empty if there is none. `deployment` is the Deployment with its name, if there is one.
std::optional<Served> served_with(kube::Client& client, const std::string& namespace_name,
                                  const std::string& name, const std::optional<Json>& deployment) {
  if (deployment && api::label_of(*deployment, api::kServe) == name) return Served{*deployment, *deployment};
  auto object = get_inference_service(client, namespace_name, name);
  if (!object) return {};
  return served_by_kserve(
      std::move(*object),
      client.list(deployment_kind(), namespace_name, {.label_selector = kserve_selector(name)}).items);
}

}  // namespace

std::optional<Served> find_served_if_exists(kube::Client& client, const std::string& namespace_name,
                                            const std::string& name) {
  return served_with(client, namespace_name, name,
                     client.get_if_exists(deployment_kind(), namespace_name, name));
}

Served find_served(kube::Client& client, const std::string& namespace_name, const std::string& name) {
  const auto found = client.get_if_exists(deployment_kind(), namespace_name, name);
  if (auto served = served_with(client, namespace_name, name, found)) return *std::move(served);
  std::vector<std::string> names;
  for (const Served& other : list_served(client, namespace_name)) names.push_back(api::name_of(other.object));
  throw Error(ErrorCode::failure,
              fmt::format("namespace {1} has no served program {0}", name, namespace_name),
              found ? "kml serve did not create the Deployment with that name" : "",
              names.empty() ? "`kml serve list -A` lists the served programs of all namespaces"
                            : "these programs are served: " + join(names, ", "));
}

std::vector<Served> list_served(kube::Client& client, const std::string& namespace_name) {
  std::vector<Served> all;
  for (Json& one : client.list(deployment_kind(), namespace_name, {.label_selector = serve_selector()}).items)
    if (api::label_of(one, kOfInferenceService).empty()) {
      Json copy = one;
      all.push_back({std::move(copy), std::move(one)});
    }
  std::vector<Json> services = list_inference_services(client, namespace_name);
  if (services.empty()) return all;
  const std::vector<Json> made =
      client.list(deployment_kind(), namespace_name, {.label_selector = std::string(kOfInferenceService)})
          .items;
  for (Json& service : services) all.push_back(served_by_kserve(std::move(service), made));
  return all;
}

std::vector<Served> served_by_run(kube::Client& client, const std::string& namespace_name,
                                  const std::string& run_id) {
  std::vector<Served> served = list_served(client, namespace_name);
  std::erase_if(served,
                [&](const Served& one) { return api::annotation_of(one.deployment, kServedBy) != run_id; });
  return served;
}

void stop_served(kube::Client& client, const Served& served) {
  const std::string name = api::name_of(served.object), namespace_name = api::namespace_of(served.object);
  require_own(served, "stop");
  if (served.is_by_kserve()) return client.remove(kInferenceService, namespace_name, name);
  for (const api::ResourceKind* kind : {api::find_kind("v1", "Service"), &deployment_kind()}) try {
      client.remove(*kind, namespace_name, name);
    } catch (const Error& error) {
      if (error.reason != "NotFound") throw;
    }
}

const Json& require_deployment(const Served& served, const std::string& wanted) {
  if (!served.deployment.is_null()) return served.deployment;
  const std::string name = api::name_of(served.object);
  throw Error(ErrorCode::failure, name + " has no " + wanted + " that kml can read",
              "KServe has made no Deployment for it", "kml why " + name);
}

}  // namespace kml::serve
