#pragma once

#include <functional>

#include "kml/kube/objects/quantity.h"
#include "local/shim/pod_folder.h"
#include "local/shim/pod_plan.h"
#include "local/store/store.h"

namespace kml::local {

/// The data, apart from the pod itself, on which a pod's plan depends.
struct PlanContext {
  const Store& store;
  std::filesystem::path state_folder;
  api::Amounts allocatable;  ///< the resources that pods on the node may use
  /// The command that stands in for an image; empty if none is set.
  std::function<std::vector<std::string>(const std::string& image)> command_of_image;
  uint64_t log_bytes = kLogBytes;  ///< the maximum size of each container's log
  int64_t max_processes = 0;       ///< the limit for each pod; 0 means no limit
  std::vector<CgroupRoot> cgroups = {};
};

/// Computes everything that the pod's shim needs, and prepares the pod's volumes. Throws config_error() if
/// the pod cannot be started as it is configured, for example because an object to which it refers is
/// missing.
PodPlan plan_pod(const Json& pod, const PlanContext& context);

}  // namespace kml::local
