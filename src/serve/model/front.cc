#include "serve/model/front.h"

#include <chrono>
#include <utility>
#include <vector>

#include "kml/base/error.h"
#include "kml/engine/in_cluster/rights.h"
#include "kml/job/submit/create.h"
#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/serve/model/activator.h"
#include "kml/serve/model/manifests.h"
#include "serve/model/activator_objects.h"

namespace kml::serve {

namespace {

std::optional<Json> find_activator(kube::Client& client, const std::string& namespace_name,
                                   const std::string& name) {
  auto found =
      client.get_if_exists(*api::find_kind("apps/v1", "Deployment"), namespace_name, activator_name(name));
  return found && api::label_of(*found, api::kActivator) == name ? found : std::nullopt;
}

/// Options that the user did not give are taken from the existing activator.
engine::EngineOptions completed(const engine::EngineOptions& options, const std::optional<Json>& existing) {
  engine::EngineOptions known = existing ? activator_options(*existing) : engine::EngineOptions();
  if (!options.image.empty()) known.image = options.image;
  if (!options.service_account.empty()) known.service_account = options.service_account;
  known.user = options.user;
  return known;
}

/// Creates the object. If this Deployment's activator already has it, updates it.
void put(kube::Client& client, const Json& object) {
  const api::ResourceKind& kind = client.kind_of(object);
  const std::string namespace_name = api::namespace_of(object), name = api::name_of(object);
  auto existing = client.get_if_exists(kind, namespace_name, name);
  if (existing && !api::labels_of(*existing).contains(std::string(api::kActivator)))
    throw Error(ErrorCode::failure, std::string(kind.kind) + " " + name + " was not made by kml serve",
                "kml does not change it", "choose another name");
  // The object belonged to a deleted Deployment with the same name. The cluster will delete it, but only
  // after a while.
  if (existing && api::owners_of(*existing) != api::owners_of(object)) {
    job::remove_and_wait(client, namespace_name, *existing);
    existing.reset();
  }
  if (!existing) {
    client.create(kind, namespace_name, object);
    return;
  }
  if (object.contains("spec")) (*existing)["spec"].update(object.at("spec"));
  if (object.contains("rules")) (*existing)["rules"] = object.at("rules");
  try {
    client.replace(kind, namespace_name, *existing);
  } catch (const Error& error) {
    if (error.reason != "Conflict") throw;
    put(client, object);  // the controller has written the object in the meantime
  }
}

void put_all(kube::Client& client, std::vector<Json> objects, const Json& owner) {
  for (Json& object : objects) try {
      object["metadata"]["ownerReferences"] = Json::array({api::owner_reference(owner)});
      put(client, object);
    } catch (const Error& error) {
      throw engine::with_rights_to_ask_for(error, object, "kml-serve(1)");
    }
}

void remove_all(kube::Client& client, const std::vector<Json>& objects) {
  for (const Json& object : objects) try {
      client.remove(client.kind_of(object), api::namespace_of(object), api::name_of(object));
    } catch (const Error& error) {
      if (error.reason != "NotFound") throw;
    }
}

Json service_of(kube::Client& client, const Json& deployment) {
  return client.get(*api::find_kind("v1", "Service"), api::namespace_of(deployment),
                    api::name_of(deployment));
}

void lead(kube::Client& client, const Json& deployment, int port, bool to_activator) {
  Json selector = serve_service(deployment, port, to_activator)["spec"]["selector"];
  if (object_at(service_of(client, deployment), {"spec", "selector"}) == selector) return;
  client.patch(*api::find_kind("v1", "Service"), api::namespace_of(deployment), api::name_of(deployment),
               kube::PatchType::json,
               Json::array({{{"op", "replace"}, {"path", "/spec/selector"}, {"value", selector}}}));
}

/// The Service's own port, which no revision changes. The activator listens there, so that it needs no
/// restart for a revision with another port, and `kml port NAME PORT` reaches it.
int port_of_service(kube::Client& client, const Json& deployment) {
  return static_cast<int>(
      int_at(array_at(service_of(client, deployment), {"spec", "ports"}).at(0), {"port"}));
}

}  // namespace

bool has_activator(kube::Client& client, const std::string& namespace_name, const std::string& name) {
  return find_activator(client, namespace_name, name).has_value();
}

std::optional<RolloutFailure> set_front(kube::Client& client, const Json& deployment,
                                        const engine::EngineOptions& options, const FollowRollout& follow) {
  const int port = port_of_service(client, deployment);
  const std::string name = api::name_of(deployment);
  const auto existing = find_activator(client, api::namespace_of(deployment), name);
  if (api::idle_limit_of(deployment)) {
    std::vector<Json> objects = activator_objects(deployment, completed(options, existing), port);
    if (existing) replace_unready(*existing, objects.back());
    put_all(client, std::move(objects), deployment);
    constexpr auto kLimit = std::chrono::minutes(5);
    if (auto failure = follow({activator_name(name), activator_selector(name)}, kLimit)) return failure;
    lead(client, deployment, port, true);
    return {};
  }
  lead(client, deployment, port, false);
  if (existing) remove_all(client, activator_objects(deployment, activator_options(*existing), port));
  return {};
}

}  // namespace kml::serve
