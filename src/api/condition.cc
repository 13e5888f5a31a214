#include "kml/api/condition.h"

#include "kml/api/object.h"

namespace kml::api {

std::optional<Time> Condition::since() const {
  return entry_ ? time_at(*entry_, {"lastTransitionTime"}) : std::nullopt;
}

Condition condition(const Json& object, std::string_view type) {
  for (const Json& entry : array_at(object, {"status", "conditions"}))
    if (string_at(entry, {"type"}) == type) return Condition(&entry);
  return {};
}

}  // namespace kml::api
