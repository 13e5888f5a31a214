#include "kml/api/event.h"

#include "kml/api/object.h"

namespace kml::api {

std::optional<Time> time_of_event(const Json& event) {
  if (const auto time = time_at(event, {"series", "lastObservedTime"})) return time;
  for (std::string_view field : {"lastTimestamp", "eventTime", "firstTimestamp"})
    if (const auto time = time_at(event, {field})) return time;
  return created_at(event);
}

}  // namespace kml::api
