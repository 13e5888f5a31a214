#pragma once

#include <functional>

#include "local/loop/event_loop.h"
#include "local/shim/pod_cgroup.h"
#include "local/shim/pod_folder.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// What the containers of a pod share inside its shim.
struct ContainerContext {
  EventLoop& loop;
  const PodPlan& pod;
  PodFolder folder;
  std::function<void()> changed;  ///< called when a container's status has changed
  /// Kills the processes that a killed keeper left behind; the shim, as subreaper, has become their parent.
  std::function<void()> kill_orphans;
  const PodCgroup& cgroup;
};

}  // namespace kml::local
