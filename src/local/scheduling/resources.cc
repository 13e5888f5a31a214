#include "local/scheduling/resources.h"

#include <algorithm>

#include "kml/api/quantity.h"

namespace kml::local {

namespace {

Resources container_request(const Json& container) {
  Resources request = resources_from_json(object_at(container, {"resources", "requests"}));
  // insert keeps what is there.
  request.merge(resources_from_json(object_at(container, {"resources", "limits"})));
  return request;
}

}  // namespace

void add(Resources& sum, const Resources& more) {
  for (const auto& [name, amount] : more) sum[name] += amount;
}

void subtract(Resources& sum, const Resources& less) {
  for (const auto& [name, amount] : less) sum[name] -= amount;
}

Resources resources_from_json(const Json& list) {
  Resources resources;
  for (const auto& [name, value] : list.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    resources[name] = (name == "cpu" ? api::quantity_milli(text) : api::quantity_units(text)).value_or(0);
  }
  return resources;
}

Resources pod_request(const Json& pod) {
  Resources request;
  for (const Json& container : array_at(pod, {"spec", "containers"}))
    add(request, container_request(container));
  for (const Json& container : array_at(pod, {"spec", "initContainers"}))
    for (const auto& [name, amount] : container_request(container))
      request[name] = std::max(request[name], amount);
  add(request, resources_from_json(object_at(pod, {"spec", "overhead"})));
  request["pods"] = 1;
  return request;
}

}  // namespace kml::local
