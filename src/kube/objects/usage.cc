#include "kml/kube/objects/usage.h"

#include <algorithm>

#include "kml/kube/objects/object.h"

namespace kml::api {

void ContainerUsage::add(const ContainerUsage& more) {
  cpu_seconds += more.cpu_seconds;
  peak_process = std::max(peak_process, more.peak_process);
  peak_cgroup = std::max(peak_cgroup, more.peak_cgroup);
}

Json to_json(const ContainerUsage& usage) {
  Json json = {{"cpuSeconds", usage.cpu_seconds}, {"peakProcessBytes", usage.peak_process}};
  if (usage.peak_cgroup > 0) json["peakBytesWithFileCache"] = usage.peak_cgroup;
  return json;
}

ContainerUsage container_usage_from_json(const Json& json) {
  const Json* seconds = find(json, {"cpuSeconds"});
  return {seconds && seconds->is_number() ? seconds->get<double>() : 0, int_at(json, {"peakProcessBytes"}),
          int_at(json, {"peakBytesWithFileCache"})};
}

std::map<std::string, ContainerUsage> usage_of(const Json& object) {
  std::map<std::string, ContainerUsage> usage;
  const Json said = Json::parse(annotation_of(object, kUsage), nullptr, false);
  if (said.is_object())
    for (const auto& [container, used] : said.items()) usage[container] = container_usage_from_json(used);
  return usage;
}

}  // namespace kml::api
