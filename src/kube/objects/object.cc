#include "kml/kube/objects/object.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

namespace kml::api {

namespace {

using EventOrder = std::tuple<std::optional<Time>, size_t, std::string>;

EventOrder order_of_event(const Json& event) {
  const std::string revision = revision_of(event);
  // revisions are numbers without leading zeros, so a longer one is larger
  return {time_of_event(event), revision.size(), revision};
}

}  // namespace

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
  return order_of_event(a) < order_of_event(b);
}

void sort_events(std::vector<Json>& events) {
  std::vector<std::pair<EventOrder, Json>> ordered;
  ordered.reserve(events.size());
  for (Json& event : events) ordered.emplace_back(order_of_event(event), std::move(event));
  std::ranges::stable_sort(ordered, std::less(),
                           [](const auto& each) -> const EventOrder& { return each.first; });
  std::ranges::transform(ordered, events.begin(), [](auto& each) { return std::move(each.second); });
}

}  // namespace kml::api
