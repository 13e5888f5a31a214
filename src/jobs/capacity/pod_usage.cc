#include "kml/jobs/capacity/pod_usage.h"

#include "kml/api/object.h"
#include "kml/api/quantity.h"

namespace kml::jobs {

namespace {

/// Null where it is not served, not allowed, or its server is away.
Json get_if_served(kube::Client& client, const std::string& path) {
  try {
    return parse_json(client.get_raw(path), path);
  } catch (const Error& error) {
    if (error.http_status == 404 || error.http_status == 403 || error.http_status == 503) return {};
    throw;
  }
}

double amount(const Json& quantity) {
  const std::string text = quantity.is_string() ? quantity.get<std::string>() : quantity.dump();
  return static_cast<double>(api::quantity_milli(text).value_or(0)) / api::kMilli;
}

}  // namespace

std::map<std::string, PodUsage> read_usage(kube::Client& client, const std::string& namespace_name) {
  std::map<std::string, PodUsage> usage;
  const std::string place = namespace_name.empty() ? "" : "/namespaces/" + api::url_encoded(namespace_name);
  const Json pods = get_if_served(client, "/apis/metrics.k8s.io/v1beta1" + place + "/pods");
  for (const Json& pod : array_at(pods, {"items"})) {
    PodUsage& of_pod = usage[api::namespace_of(pod) + "/" + api::name_of(pod)];
    of_pod.cpus = 0;
    of_pod.memory = 0;
    for (const Json& container : array_at(pod, {"containers"})) {
      if (const Json* cpu = find(container, {"usage", "cpu"})) *of_pod.cpus += amount(*cpu);
      if (const Json* memory = find(container, {"usage", "memory"}))
        *of_pod.memory += static_cast<int64_t>(amount(*memory));
    }
  }
  if (namespace_name.empty()) return usage;  // custom metrics are asked for by namespace
  const Json gpus =
      get_if_served(client, "/apis/custom.metrics.k8s.io/v1beta1" + place + "/pods/%2A/DCGM_FI_DEV_GPU_UTIL");
  for (const Json& item : array_at(gpus, {"items"}))
    if (const Json* value = find(item, {"value"}))
      usage[string_at(item, {"describedObject", "namespace"}) + "/" +
            string_at(item, {"describedObject", "name"})]
          .gpu_percent = amount(*value);
  return usage;
}

}  // namespace kml::jobs
