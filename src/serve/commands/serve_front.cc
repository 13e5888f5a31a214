#include "serve/commands/serve_front.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "engine/commands/cluster_engine.h"
#include "kml/base/clock.h"
#include "kml/base/error.h"
#include "kml/job/submit/create.h"
#include "kml/job/submit/marks.h"
#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "kml/serve/model/activator.h"
#include "kml/serve/model/activator_objects.h"
#include "kml/serve/model/rollout.h"
#include "serve/commands/serve_view.h"

namespace kml::cli {

namespace {

const api::ResourceKind& activator_kind() {
  return *api::find_kind("apps/v1", "Deployment");
}

std::optional<Json> find_activator(Context& context, const std::string& name) {
  auto found = context.client().get_if_exists(activator_kind(), context.target().namespace_name,
                                              jobs::activator_name(name));
  return found && api::label_of(*found, api::kActivator) == name ? found : std::nullopt;
}

/// The flags, or else those of the activator that exists.
jobs::EngineOptions options_of(const ActivatorFlags& flags, const std::optional<Json>& existing) {
  jobs::EngineOptions options = existing ? jobs::activator_options(*existing) : jobs::EngineOptions();
  if (!flags.image.empty()) options.image = flags.image;
  if (!flags.account.empty()) options.service_account = flags.account;
  options.user = api::to_dns_label(jobs::user_name());
  return options;
}

/// Creates the object, or updates it if this Deployment's activator has it already.
void put(Context& context, const Json& object) {
  kube::Client& client = context.client();
  const api::ResourceKind& kind = client.kind_of(object);
  const std::string namespace_name = api::namespace_of(object), name = api::name_of(object);
  auto existing = client.get_if_exists(kind, namespace_name, name);
  if (existing && !api::labels_of(*existing).contains(std::string(api::kActivator)))
    throw Error(ErrorCode::failure, std::string(kind.kind) + " " + name + " was not made by kml serve",
                "kml does not change it", "choose another name");
  // What a deleted Deployment of the same name has left is deleted by the cluster, but only after a while.
  if (existing && api::owners_of(*existing) != api::owners_of(object)) {
    jobs::remove_and_wait(client, namespace_name, *existing);
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
    put(context, object);  // its controller has just written it
  }
}

void put_all(Context& context, std::vector<Json> objects, const Json& owner) {
  for (Json& object : objects) try {
      object["metadata"]["ownerReferences"] = Json::array({api::owner_reference(owner)});
      put(context, object);
    } catch (const Error& error) {
      throw with_rights_to_ask_for(error, object, "kml-serve(1)");
    }
}

void wait_for_activator(Context& context, const std::string& name) {
  constexpr auto kLimit = std::chrono::minutes(5);
  const auto failure =
      follow_rollout(context, jobs::activator_name(name), kLimit, jobs::activator_selector(name));
  if (!failure) return;
  print_last_lines(context, *failure);
  throw Error(ErrorCode::job_failed, name + " runs, but its activator does not", failure->cause,
              "serve it again with another --engine-image, or with --idle 0");
}

void lead(Context& context, const Json& deployment, int port, bool to_activator) {
  const std::string namespace_name = api::namespace_of(deployment), name = api::name_of(deployment);
  const api::ResourceKind& kind = *api::find_kind("v1", "Service");
  const Json now = context.client().get(kind, namespace_name, name);
  Json selector = jobs::serve_service(deployment, port, to_activator)["spec"]["selector"];
  if (object_at(now, {"spec", "selector"}) == selector) return;
  context.client().patch(kind, namespace_name, name, kube::PatchType::json,
                         Json::array({{{"op", "replace"}, {"path", "/spec/selector"}, {"value", selector}}}));
}

}  // namespace

void add_activator_flags(Command& command, ActivatorFlags& flags) {
  command.option("--engine-image", "IMAGE", flags.image,
                 "for --idle on a cluster: an image with kml, for the pod that takes the requests");
  command.option("--engine-account", "NAME", flags.account,
                 "for that pod: an existing service account; by default one is created");
}

bool has_activator(Context& context, const std::string& name) {
  return find_activator(context, name).has_value();
}

void check_activator_flags(Context& context, const jobs::ServeSettings& settings, const ActivatorFlags& flags,
                           bool is_there) {
  const bool is_given = !flags.image.empty() || !flags.account.empty();
  if (is_given && context.place().is_local)
    context.note(
        "--engine-image has no effect here: on this machine, the embedded server takes the requests");
  const bool is_idle = settings.idle ? settings.idle->count() > 0 : is_there;
  if (is_given && !is_idle) throw usage_error("--engine-image and --engine-account need --idle");
  if (!context.place().is_local && is_idle && !is_there && flags.image.empty())
    throw usage_error("on a cluster, --idle needs --engine-image",
                      "a pod of that image takes the requests while no replica runs", kEngineImageFix);
}

std::vector<Json> activator_manifests(Context& context, const Json& deployment, int port,
                                      const ActivatorFlags& flags) {
  if (context.place().is_local || flags.image.empty()) return {};
  return jobs::activator_objects(deployment, options_of(flags, {}), port);
}

/// As `kubectl rollout restart` does.
void replace_unready(const Json& existing, Json& wanted) {
  if (!jobs::is_rolled_out(existing))
    wanted["spec"]["template"]["metadata"]["annotations"]["kubectl.kubernetes.io/restartedAt"] =
        rfc3339_micro(system_clock().now());
}

void set_front(Context& context, const Json& deployment, int port, const ActivatorFlags& flags) {
  const std::string name = api::name_of(deployment);
  const auto existing = find_activator(context, name);
  if (api::idle_limit_of(deployment)) {
    std::vector<Json> objects = jobs::activator_objects(deployment, options_of(flags, existing), port);
    if (existing) replace_unready(*existing, objects.back());
    put_all(context, std::move(objects), deployment);
    wait_for_activator(context, name);
    lead(context, deployment, port, true);
    return;
  }
  lead(context, deployment, port, false);
  if (!existing) return;
  for (const Json& object : jobs::activator_objects(deployment, jobs::activator_options(*existing), port))
    try {
      context.client().remove(context.client().kind_of(object), api::namespace_of(object),
                              api::name_of(object));
    } catch (const Error& error) {
      if (error.reason != "NotFound") throw;
    }
}

}  // namespace kml::cli
