#pragma once

#include <map>
#include <optional>
#include <string>

#include "kml/kube/client.h"

namespace kml::jobs {

/// What a pod uses now, as far as the cluster measures it.
struct PodUsage {
  std::optional<double> cpus;
  std::optional<int64_t> memory;      ///< bytes
  std::optional<double> gpu_percent;  ///< mean over its GPUs
};

/// By "namespace/name": from the metrics API (metrics.k8s.io), and NVIDIA's DCGM_FI_DEV_GPU_UTIL where an
/// adapter serves it as a custom metric. Empty where the cluster has neither. An empty namespace means all.
std::map<std::string, PodUsage> read_usage(kube::Client& client, const std::string& namespace_name);

}  // namespace kml::jobs
