#pragma once

#include <functional>

#include "local/loop/event_loop.h"
#include "local/shim/pod_cgroup.h"
#include "local/shim/pod_folder.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// The data that all containers of a pod share in its shim.
struct ContainerContext {
  EventLoop& loop;
  const PodPlan& pod;
  PodFolder folder;
  std::function<void()> changed;  ///< called when a container's status has changed
  /// Kills the processes that a killed keeper has left. The shim has become their parent, because it is a
  /// subreaper.
  std::function<void()> kill_orphans;
  const PodCgroup& cgroup;
};

}  // namespace kml::local
