#pragma once

#include <optional>
#include <string>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::engine {

/// The marks on the server's objects of a sweep or a pipeline's run.
struct EngineMarks {
  std::string kind;   ///< "sweep", "run"
  std::string label;  ///< label of all its objects; the value is its name
  std::string name;
  std::string id;  ///< submit-id of its own objects
  std::string namespace_name;
};

/// "kml-sweep-lr1": the name of the ConfigMap that owns an engine's objects.
std::string engine_object_name(const EngineMarks& marks);

/// Creates or finds that ConfigMap, with `data`. Deleting it deletes all objects that it owns. Adds `labels`
/// to the standard ones. Throws Error if a ConfigMap of another owner has the name.
Json make_engine_object(kube::Client& client, const EngineMarks& marks, const Json& data = Json::object(),
                        const Json& labels = Json::object());

std::optional<Json> find_engine_object(kube::Client& client, const EngineMarks& marks);

/// Deletes the ConfigMap and the objects that it owns. Does nothing if this engine has none.
void remove_engine_object(kube::Client& client, const EngineMarks& marks);

/// Creates the object with `owner`, the result of make_engine_object(). An existing object of the same engine
/// gets the new data. Throws Error if an object of another owner has the name.
Json make_owned(kube::Client& client, const EngineMarks& marks, const Json& owner, Json object);

}  // namespace kml::engine
