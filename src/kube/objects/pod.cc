#include "kml/kube/objects/pod.h"

#include <algorithm>
#include <cstdlib>

#include "kml/base/text.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::api {

namespace {

/// The requests of a container. If a request is missing, its limit is used (as in the defaults of core/v1).
Amounts container_requests(const Json& container) {
  Amounts amounts = amounts_of(object_at(container, {"resources", "requests"}));
  amounts.merge(amounts_of(object_at(container, {"resources", "limits"})));
  return amounts;
}

Amounts container_limits(const Json& container) {
  return amounts_of(object_at(container, {"resources", "limits"}));
}

Amounts container_gpus(const Json& container) {
  return gpu_amounts_of(limits_of(container));
}

void raise_to(Amounts& most, const Amounts& amounts) {
  for (const auto& [name, amount] : amounts) most[name] = std::max(most[name], amount);
}

/// The sum over a pod's containers by the formula of KEP-753.
template <typename Of>
Amounts sum_of_containers(const Json& pod_spec, Of of_container) {
  Amounts sum, sidecars, most_at_start;
  for (const Json& container : array_at(pod_spec, {"containers"})) add(sum, of_container(container));
  for (const Json& container : array_at(pod_spec, {"initContainers"})) {
    Amounts at_start = of_container(container);
    if (string_at(container, {"restartPolicy"}) == "Always") {
      add(sum, at_start);
      add(sidecars, at_start);
      at_start = sidecars;
    } else {
      add(at_start, sidecars);
    }
    raise_to(most_at_start, at_start);
  }
  raise_to(sum, most_at_start);
  return sum;
}

bool is_huge_pages(std::string_view name) {
  return name.starts_with("hugepages-");
}
/// Whether the resource may be requested for a pod as a whole, as well as for its containers.
bool is_of_pods(std::string_view name) {
  return name == "cpu" || name == "memory" || is_huge_pages(name);
}

Amounts of_whole_pod(const Json& pod_spec, std::string_view list) {
  Amounts amounts = amounts_of(object_at(pod_spec, {"resources", list}));
  std::erase_if(amounts, [](const auto& entry) { return !is_of_pods(entry.first); });
  return amounts;
}

void drop_zeros(Amounts& amounts) {
  std::erase_if(amounts, [](const auto& entry) { return entry.second == 0; });
}

}  // namespace

Amounts pod_requests(const Json& pod_spec) {
  Amounts sum = sum_of_containers(pod_spec, container_requests);
  // Huge pages cannot be overcommitted, so the pod's limit for them is its request, too.
  for (const auto& [name, limit] : of_whole_pod(pod_spec, "limits"))
    if (is_huge_pages(name) || !sum.contains(name)) sum[name] = limit;
  for (const auto& [name, request] : of_whole_pod(pod_spec, "requests")) sum[name] = request;
  add(sum, amounts_of(object_at(pod_spec, {"overhead"})));
  sum["pods"] = kMilli;
  drop_zeros(sum);
  return sum;
}

Amounts gpu_requests(const Json& pod_spec) {
  Amounts sum = sum_of_containers(pod_spec, container_gpus);
  add(sum, gpu_amounts_of(object_at(pod_spec, {"overhead"})));
  drop_zeros(sum);
  return sum;
}

Amounts pod_limits(const Json& pod_spec) {
  Amounts sum = sum_of_containers(pod_spec, container_limits);
  for (const auto& [name, limit] : of_whole_pod(pod_spec, "limits")) sum[name] = limit;
  drop_zeros(sum);
  for (const auto& [name, amount] : amounts_of(object_at(pod_spec, {"overhead"})))
    if (sum.contains(name)) sum[name] += amount;
  return sum;
}

Amounts written_amounts_of_pod(const Json& pod_spec, std::string_view list) {
  Amounts sum = sum_of_containers(pod_spec, [list](const Json& container) {
    return amounts_of(object_at(container, {"resources", list}));
  });
  for (const auto& [name, amount] : of_whole_pod(pod_spec, list)) sum[name] = amount;
  return sum;
}

namespace {

const Json* find_entry(const Json& list, std::string_view name) {
  for (const Json& entry : list)
    if (entry_name(entry) == name) return &entry;
  return nullptr;
}

}  // namespace

const Json* find_container(const Json& pod, std::string_view name) {
  for (std::string_view list : {"containers", "initContainers", "ephemeralContainers"})
    if (const Json* found = find_entry(containers_of(pod, list), name)) return found;
  return nullptr;
}

const Json* find_container_status(const Json& pod, std::string_view name) {
  for (std::string_view list : {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"})
    if (const Json* found = find_entry(container_statuses(pod, list), name)) return found;
  return nullptr;
}

int machine_port(const Json& pod, int container_port) {
  const std::string prefix = std::to_string(container_port) + "=";
  for (const std::string& pair : split(annotation_of(pod, kPorts), ','))
    if (pair.starts_with(prefix)) return std::atoi(pair.c_str() + prefix.size());
  return container_port;
}

int container_port(const Json& pod_spec, const Json& number_or_name) {
  if (number_or_name.is_number_integer()) return number_or_name.get<int>();
  for (const Json& container : containers_in(pod_spec))
    for (const Json& port : array_at(container, {"ports"}))
      if (port.contains("name") && port["name"] == number_or_name)
        return static_cast<int>(int_at(port, {"containerPort"}));
  return 0;
}

}  // namespace kml::api
