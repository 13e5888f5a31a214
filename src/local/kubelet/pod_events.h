#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "local/events/event_recorder.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// The source of the supervisor's events.
inline constexpr const char* kKubelet = "kubelet";

/// Records what has happened to the pod's containers between two states of the pod: they have started, could
/// not be started, or wait before they are started again.
void tell_changes(EventRecorder& events, const Json& before, const Json& after);

/// Warns if the pod has memory limits that this machine cannot enforce.
void tell_of_limits(EventRecorder& events, const Json& pod, const PodPlan& plan,
                    const std::vector<CgroupRoot>& cgroups);

/// Records that a probe has failed, if the shim's report says so. `last` is the text of the last event.
void tell_of_probes(EventRecorder& events, const Json& pod, const Json& shim_status, std::string& last);

}  // namespace kml::local
