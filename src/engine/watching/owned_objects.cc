#include "kml/engine/watching/owned_objects.h"

#include "kml/job/submit/belongings.h"
#include "kml/job/submit/create.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::engine {

namespace {

const api::ResourceKind& config_map_kind() {
  return *api::find_kind("v1", "ConfigMap");
}

bool is_of(const Json& object, const EngineMarks& marks) {
  return api::label_of(object, api::kSubmitId) == marks.id;
}

/// Whether the object belonged to a deleted owner that had the same name as `owner`. The cluster deletes such
/// objects too, but not at once.
bool is_left_over(const Json& object, const Json& owner) {
  for (const Json& reference : array_at(object, {"metadata", "ownerReferences"}))
    if (string_at(reference, {"kind"}) == api::kind_name(owner) &&
        string_at(reference, {"name"}) == api::name_of(owner) &&
        string_at(reference, {"uid"}) != api::uid_of(owner))
      return true;
  return false;
}

/// Creates the object. If an object of the same engine exists, updates its data. `owner` is null if the
/// object has no owner.
Json made(kube::Client& client, const EngineMarks& marks, Json object, const Json& owner = {}) {
  Json& metadata = object["metadata"];
  metadata["namespace"] = marks.namespace_name;
  Json& labels = metadata["labels"];
  labels.update({{api::kSubmitId, marks.id}, {api::kManagedBy, "kml"}});
  // The label selects a sweep's trials or a run's steps, so the engine's own objects must not have it.
  if (!labels.contains(marks.label + "-engine") || api::kind_name(object) == "ConfigMap")
    api::set_label(object, marks.label, marks.name);
  const api::ResourceKind& kind = client.kind_of(object);
  const std::string name = api::name_of(object);
  std::optional<Json> there = client.get_if_exists(kind, marks.namespace_name, name);
  if (there && is_left_over(*there, owner)) {
    client.remove(kind, marks.namespace_name, name, {.uid = api::uid_of(*there)});
    there.reset();
  }
  if (!there) return job::create_once(client, marks.namespace_name, object);
  if (!is_of(*there, marks))
    throw Error(
        ErrorCode::failure, std::string(kind.kind) + " " + name + " already exists",
        "another " + marks.kind + " " + marks.name + " in namespace " + marks.namespace_name + " owns it",
        "choose another name");
  Json data = Json::object();
  for (const char* key : {"data", "binaryData"})
    if (object.contains(key) && object[key] != there->value(key, Json())) data[key] = object[key];
  return data.empty() ? *there : client.patch(kind, marks.namespace_name, name, kube::PatchType::merge, data);
}

}  // namespace

std::string engine_object_name(const EngineMarks& marks) {
  return "kml-" + marks.kind + "-" + marks.name;
}

Json make_engine_object(kube::Client& client, const EngineMarks& marks, const Json& data,
                        const Json& labels) {
  return made(client, marks,
              {{"apiVersion", "v1"},
               {"kind", "ConfigMap"},
               {"metadata", {{"name", engine_object_name(marks)}, {"labels", labels}}},
               {"data", data}});
}

std::optional<Json> find_engine_object(kube::Client& client, const EngineMarks& marks) {
  return client.get_if_exists(config_map_kind(), marks.namespace_name, engine_object_name(marks));
}

void remove_engine_object(kube::Client& client, const EngineMarks& marks) {
  const auto there = find_engine_object(client, marks);
  if (there && is_of(*there, marks))
    client.remove(config_map_kind(), marks.namespace_name, engine_object_name(marks),
                  {.uid = api::uid_of(*there)});
}

Json make_owned(kube::Client& client, const EngineMarks& marks, const Json& owner, Json object) {
  object["metadata"]["ownerReferences"] = Json::array({api::owner_reference(owner)});
  return made(client, marks, std::move(object), owner);
}

}  // namespace kml::engine
