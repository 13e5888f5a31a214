#include "kml/api/object.h"

namespace kml::api {

std::optional<Time> time_at(const Json& object, std::initializer_list<std::string_view> path) {
  const std::string text = string_at(object, path);
  return text.empty() ? std::nullopt : parse_rfc3339(text);
}

std::optional<Time> created_at(const Json& object) {
  return time_at(object, {"metadata", "creationTimestamp"});
}

std::optional<Time> started_at(const Json& object) {
  return time_at(object, {"status", "startTime"});
}

const Json* controller_of(const Json& object) {
  for (const Json& owner : owners_of(object))
    if (bool_at(owner, {"controller"})) return &owner;
  return nullptr;
}

}  // namespace kml::api
