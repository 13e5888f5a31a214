#include <algorithm>

#include "kml/jobs/capacity.h"

namespace kml::jobs {

api::Amounts requests_of(const Json& pod_spec) {
  const auto of_container = [](const Json& container) {
    api::Amounts amounts = api::amounts_of(object_at(container, {"resources", "requests"}));
    amounts.merge(api::amounts_of(object_at(container, {"resources", "limits"})));
    return amounts;
  };
  api::Amounts sum, most;
  for (const Json& container : array_at(pod_spec, {"containers"}))
    for (const auto& [name, amount] : of_container(container)) sum[name] += amount;
  for (const Json& container : array_at(pod_spec, {"initContainers"})) {
    const bool is_sidecar = string_at(container, {"restartPolicy"}) == "Always";  // it runs beside them
    for (const auto& [name, amount] : of_container(container))
      is_sidecar ? sum[name] += amount : most[name] = std::max(most[name], amount);
  }
  for (const auto& [name, amount] : most) sum[name] = std::max(sum[name], amount);
  for (const auto& [name, amount] : api::amounts_of(object_at(pod_spec, {"overhead"}))) sum[name] += amount;
  sum["pods"] = 1000;
  std::erase_if(sum, [](const auto& entry) { return entry.second == 0; });
  return sum;
}

}  // namespace kml::jobs
