#include "jobs/why/facts.h"

#include <algorithm>

#include "kml/jobs/pod_view.h"

namespace kml::jobs {

std::optional<Time> time_of_event(const Json& event) {
  if (auto time = time_at(event, {"series", "lastObservedTime"})) return time;
  for (std::string_view field : {"lastTimestamp", "eventTime", "firstTimestamp"})
    if (auto time = time_at(event, {field})) return time;
  return time_at(event, {"metadata", "creationTimestamp"});
}

const Json* newest_event(const Facts& facts, const Json& object, std::span<const std::string_view> reasons) {
  const Json* newest = nullptr;
  const std::string uid = string_at(object, {"metadata", "uid"});
  if (!facts.events || uid.empty()) return nullptr;
  for (const Json& event : *facts.events)
    if (string_at(event, {"involvedObject", "uid"}) == uid &&
        std::find(reasons.begin(), reasons.end(), string_at(event, {"reason"})) != reasons.end() &&
        (!newest || time_of_event(*newest) <= time_of_event(event)))
      newest = &event;
  return newest;
}

}  // namespace kml::jobs
