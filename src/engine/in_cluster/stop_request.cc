#include "kml/engine/in_cluster/stop_request.h"

namespace kml::engine {

namespace {

std::optional<std::string> wish_in(const Json& object) {
  if (!find(object, {"data", StopRequest::kKey})) return {};
  return string_at(object, {"data", StopRequest::kKey});
}

}  // namespace

StopRequest::StopRequest(kube::Client& client, const EngineMarks& marks, const Json& object)
    : text_(wish_in(object)) {
  const auto on_change = [this](kube::Change change, const Json& now) {
    text_ = change == kube::Change::deleted ? std::nullopt : wish_in(now);
  };
  watch_ = kube::watch(client, *api::find_kind("v1", "ConfigMap"), marks.namespace_name,
                       {.field_selector = "metadata.name=" + engine_object_name(marks), .is_patient = true},
                       {on_change, [] {}, [this](const Error& error) { failure_ = error; }});
}

std::optional<std::string> StopRequest::text() const {
  if (failure_) throw Error(*failure_);
  return text_;
}

}  // namespace kml::engine
