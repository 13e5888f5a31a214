#pragma once

#include <functional>

#include "kml/kube/objects/quantity.h"
#include "local/shim/pod_folder.h"
#include "local/shim/pod_plan.h"
#include "local/store/store.h"

namespace kml::local {

/// Everything except the pod that a pod's plan depends on.
struct PlanContext {
  const Store& store;
  std::filesystem::path state_folder;
  api::Amounts allocatable;  ///< the node's allocatable resources
  /// The command that replaces an image; empty if none is set.
  std::function<std::vector<std::string>(const std::string& image)> command_of_image;
  uint64_t log_bytes = kLogBytes;  ///< size limit of each container's log
  int64_t max_processes = 0;       ///< per pod; 0: no limit
  std::vector<CgroupRoot> cgroups = {};
};

/// Computes everything that the pod's shim needs, and prepares the pod's volumes. Throws Error with reason
/// "CreateContainerConfigError" if an object that the pod refers to is missing.
PodPlan plan_pod(const Json& pod, const PlanContext& context);

}  // namespace kml::local
