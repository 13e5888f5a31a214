#pragma once

#include <optional>
#include <string>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::engine {

/// The values that mark the objects of a sweep or a pipeline run on the server.
struct EngineMarks {
  std::string kind;   ///< "sweep", "run"
  std::string label;  ///< the key of a label on these objects, except the engine's own Job and account; its
                      ///< value is `name`
  std::string name;
  std::string id;  ///< the submit-id of the objects that belong to the engine itself
  std::string namespace_name;
};

/// The name of the ConfigMap that owns an engine's objects, such as "kml-sweep-lr1".
std::string engine_object_name(const EngineMarks& marks);

/// Creates the ConfigMap with `data`, or updates the data of the engine's existing one. If the ConfigMap is
/// deleted, all objects that it owns are deleted, too. Adds `labels` to the standard ones. Throws Error if
/// another owner's ConfigMap has the name.
Json make_engine_object(kube::Client& client, const EngineMarks& marks, const Json& data = Json::object(),
                        const Json& labels = Json::object());

std::optional<Json> find_engine_object(kube::Client& client, const EngineMarks& marks);

/// Deletes the ConfigMap and the objects that it owns. Does nothing if this engine has no ConfigMap.
void remove_engine_object(kube::Client& client, const EngineMarks& marks);

/// Creates the object with `owner`, the result of make_engine_object(), as its owner. If an object with the
/// name exists, replaces it if it belonged to a deleted owner with the same name as `owner`. Updates its data
/// if it belongs to the same engine, and otherwise throws Error.
Json make_owned(kube::Client& client, const EngineMarks& marks, const Json& owner, Json object);

}  // namespace kml::engine
