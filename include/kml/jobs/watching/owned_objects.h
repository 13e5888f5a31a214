#pragma once

#include <optional>
#include <string>

#include "kml/core/json.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// A sweep, or a pipeline's run, as the server knows it.
struct EngineMarks {
  std::string kind;   ///< "sweep", "run"
  std::string label;  ///< of all its objects: its name
  std::string name;
  std::string id;  ///< objects that carry it as their submit-id are its own
  std::string namespace_name;
};

/// "kml-sweep-lr1": what is called the ConfigMap that owns what an engine brings along.
std::string engine_object_name(const EngineMarks& marks);

/// Makes that ConfigMap with `data`, or finds it. Who deletes it deletes all that it owns. `labels` stand
/// beside those of every engine. Throws Error if there is one of that name that is somebody else's.
Json make_engine_object(kube::Client& client, const EngineMarks& marks, const Json& data = Json::object(),
                        const Json& labels = Json::object());

std::optional<Json> find_engine_object(kube::Client& client, const EngineMarks& marks);

/// Deletes it, and with it what it owns; nothing if there is none of this engine.
void remove_engine_object(kube::Client& client, const EngineMarks& marks);

/// Makes the object, owned by what make_engine_object() returned; one of the same engine that is there gets
/// its data. Throws Error if there is one of that name that is not the engine's.
Json make_owned(kube::Client& client, const EngineMarks& marks, const Json& owner, Json object);

}  // namespace kml::jobs
