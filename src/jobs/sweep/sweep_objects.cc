#include "kml/jobs/sweep/sweep_objects.h"

#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/jobs/submit/belongings.h"
#include "kml/jobs/submit/code.h"
#include "kml/jobs/submit/create.h"

namespace kml::jobs {

namespace {

const api::ResourceKind& secret_kind() {
  return *api::find_kind("v1", "Secret");
}

bool is_of(const Json& object, const SweepMarks& sweep) {
  return api::label_of(object, api::kSubmitId) == sweep.id;
}

/// Whether it belonged to an object of that owner's name that was deleted. The cluster removes such things
/// too, but only after a while.
bool is_left_over(const Json& object, const Json& owner) {
  for (const Json& reference : array_at(object, {"metadata", "ownerReferences"}))
    if (string_at(reference, {"kind"}) == api::kind_name(owner) &&
        string_at(reference, {"name"}) == api::name_of(owner) &&
        string_at(reference, {"uid"}) != api::uid_of(owner))
      return true;
  return false;
}

/// Creates it, or gives one of the same sweep its data. `owner` is null if it has none.
Json made(kube::Client& client, const SweepMarks& sweep, Json object, const Json& owner = {}) {
  Json& metadata = object["metadata"];
  metadata["namespace"] = sweep.namespace_name;
  Json& labels = metadata["labels"];
  labels.update({{api::kSubmitId, sweep.id}, {api::kManagedBy, "kml"}});
  // An engine is none of the trials that this label selects.
  if (!labels.contains(api::kSweepEngine) || api::kind_name(object) == "ConfigMap")
    api::set_label(object, api::kSweep, sweep.name);
  const api::ResourceKind& kind = client.kind_of(object);
  const std::string name = api::name_of(object);
  std::optional<Json> there = client.get_if_exists(kind, sweep.namespace_name, name);
  if (there && is_left_over(*there, owner)) {
    client.remove(kind, sweep.namespace_name, name, {.uid = api::uid_of(*there)});
    there.reset();
  }
  if (!there) return create_once(client, sweep.namespace_name, object);
  if (!is_of(*there, sweep))
    throw Error(ErrorCode::failure, std::string(kind.kind) + " " + name + " already exists",
                "another sweep " + sweep.name + " in namespace " + sweep.namespace_name + " owns it",
                "give this one another name");
  Json data = Json::object();
  for (const char* key : {"data", "binaryData"})
    if (object.contains(key) && object[key] != there->value(key, Json())) data[key] = object[key];
  return data.empty() ? *there : client.patch(kind, sweep.namespace_name, name, kube::PatchType::merge, data);
}

}  // namespace

std::string sweep_object_name(const std::string& sweep) {
  return "kml-sweep-" + sweep;
}

Json make_sweep_object(kube::Client& client, const SweepMarks& sweep, const Json& data, const Json& labels) {
  return made(client, sweep,
              {{"apiVersion", "v1"},
               {"kind", "ConfigMap"},
               {"metadata", {{"name", sweep_object_name(sweep.name)}, {"labels", labels}}},
               {"data", data}});
}

std::optional<Json> find_sweep_object(kube::Client& client, const std::string& namespace_name,
                                      const std::string& sweep) {
  return client.get_if_exists(*api::find_kind("v1", "ConfigMap"), namespace_name, sweep_object_name(sweep));
}

void remove_sweep_object(kube::Client& client, const SweepMarks& sweep) {
  const auto there = find_sweep_object(client, sweep.namespace_name, sweep.name);
  if (there && is_of(*there, sweep))
    client.remove(*api::find_kind("v1", "ConfigMap"), sweep.namespace_name, sweep_object_name(sweep.name),
                  {.uid = api::uid_of(*there)});
}

Json make_owned(kube::Client& client, const SweepMarks& sweep, const Json& owner, Json object) {
  object["metadata"]["ownerReferences"] = Json::array({owner_reference(owner)});
  return made(client, sweep, std::move(object), owner);
}

void make_sweep_secrets(kube::Client& client, const SweepMarks& sweep,
                        const std::vector<Belonging>& secrets) {
  if (secrets.empty()) return;
  const Json owner = make_sweep_object(client, sweep);
  for (const Belonging& secret : secrets) {
    Json object = filled(secret);
    object.erase("immutable");  // a sweep that goes on may get another token
    make_owned(client, sweep, owner, std::move(object));
  }
}

std::vector<std::string> sweep_secrets_of(const std::string& sweep, const Json& trial) {
  std::vector<std::string> names = code_secrets_of({trial});
  if (mentions(trial, sweep_object_name(sweep))) names.push_back(sweep_object_name(sweep));
  return names;
}

void require_sweep_secrets(kube::Client& client, const SweepMarks& sweep, const Json& trial) {
  for (const std::string& name : sweep_secrets_of(sweep.name, trial)) {
    const auto secret = client.get_if_exists(secret_kind(), sweep.namespace_name, name);
    if (secret && is_of(*secret, sweep)) continue;
    throw Error(ErrorCode::failure, "Secret " + name + " is missing, and the sweep's trials need it",
                "it was created when the sweep started",
                "run `kml sweep run` again with the same --secret and --code");
  }
}

}  // namespace kml::jobs
