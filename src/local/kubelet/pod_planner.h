#pragma once

#include <functional>

#include "kml/api/quantity.h"
#include "local/shim/pod_folder.h"
#include "local/shim/pod_plan.h"
#include "local/store/store.h"

namespace kml::local {

/// What a pod's plan depends on besides the pod.
struct PlanContext {
  const Store& store;
  std::filesystem::path state_folder;
  api::Amounts allocatable;  ///< of the node
  /// The command that stands for an image; empty if there is none.
  std::function<std::vector<std::string>(const std::string& image)> command_of_image;
  uint64_t log_bytes = kLogBytes;  ///< kept of each container's log
  int64_t max_processes = 0;       ///< of a pod; 0: no limit
  std::vector<CgroupRoot> cgroups = {};
};

/// Works out all that the pod's shim needs, and prepares its volumes. Throws Error with reason
/// "CreateContainerConfigError" where something that the pod names is missing.
PodPlan plan_pod(const Json& pod, const PlanContext& context);

}  // namespace kml::local
