#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "kml/core/json.h"

namespace kml::api {

/// Annotation of a pod that has run on the embedded server, and of the PodMetrics of one that runs there:
/// what each container has used up to then, as JSON by container.
inline constexpr std::string_view kUsage = "kml.dev/usage";

/// What a container has used since it first began, in all its runs.
struct ContainerUsage {
  double cpu_seconds = 0;
  int64_t peak_process = 0;  ///< bytes: the most that one of its processes had resident
  int64_t peak_cgroup = 0;   ///< bytes: the most of all together, with cached files; 0 if nothing counts it

  /// Of a further run of it, or of another container.
  void add(const ContainerUsage& more);
};

Json to_json(const ContainerUsage& usage);
ContainerUsage container_usage_from_json(const Json& json);

/// By container, from the annotation; empty if the object has none that can be read.
std::map<std::string, ContainerUsage> usage_of(const Json& object);

}  // namespace kml::api
