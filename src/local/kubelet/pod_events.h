#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "local/events/event_recorder.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// The source of events that the supervisor writes.
inline constexpr const char* kKubelet = "kubelet";

/// Compares two states of a pod, and records what has happened to its containers: they have started, could
/// not be started, or wait to be restarted.
void tell_changes(EventRecorder& events, const Json& before, const Json& after);

/// Warns if the pod has memory limits that this machine cannot enforce.
void tell_of_limits(EventRecorder& events, const Json& pod, const PodPlan& plan,
                    const std::vector<CgroupRoot>& cgroups);

/// If the shim's report says that a probe has failed, records that. `last` is the text of the last such
/// event.
void tell_of_probes(EventRecorder& events, const Json& pod, const Json& shim_status, std::string& last);

}  // namespace kml::local
