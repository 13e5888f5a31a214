#include "kml/kube/objects/object.h"

#include <tuple>

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

Json owner_reference(const Json& object) {
  return {{"apiVersion", object.at("apiVersion")},
          {"kind", object.at("kind")},
          {"name", object.at("metadata").at("name")},
          {"uid", object.at("metadata").at("uid")}};
}

const Json* controller_of(const Json& object) {
  for (const Json& owner : owners_of(object))
    if (bool_at(owner, {"controller"})) return &owner;
  return nullptr;
}

std::optional<Time> Condition::since() const {
  return entry_ ? time_at(*entry_, {"lastTransitionTime"}) : std::nullopt;
}

Condition condition(const Json& object, std::string_view type) {
  for (const Json& entry : array_at(object, {"status", "conditions"}))
    if (string_at(entry, {"type"}) == type) return Condition(&entry);
  return {};
}

std::optional<Time> time_of_event(const Json& event) {
  if (const auto time = time_at(event, {"series", "lastObservedTime"})) return time;
  for (std::string_view field : {"lastTimestamp", "eventTime", "firstTimestamp"})
    if (const auto time = time_at(event, {field})) return time;
  return created_at(event);
}

bool is_earlier_event(const Json& a, const Json& b) {
  const auto order = [](const Json& event) {
    const std::string revision = revision_of(event);
    return std::tuple(time_of_event(event), revision.size(), revision);  // as numbers without leading zeros
  };
  return order(a) < order(b);
}

}  // namespace kml::api
