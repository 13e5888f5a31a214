#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::api {

/// The annotation with the resources that each container has used so far: a JSON object with a member for
/// each container. The embedded server sets it on pods that have ended, and on the PodMetrics of running
/// pods.
inline constexpr std::string_view kUsage = "kml.dev/usage";

/// The resources that a container has used in all its runs.
struct ContainerUsage {
  double cpu_seconds = 0;
  int64_t peak_process = 0;  ///< in bytes: the largest resident size of any process in the container
  /// in bytes: the peak memory of the cgroup, including cached files; 0 if not measured
  int64_t peak_cgroup = 0;

  /// Adds the usage of another run or another container.
  void add(const ContainerUsage& more);
};

Json to_json(const ContainerUsage& usage);
ContainerUsage container_usage_from_json(const Json& json);

/// Reads the annotation, by container; empty if it is missing or unreadable.
std::map<std::string, ContainerUsage> usage_of(const Json& object);

}  // namespace kml::api
