#pragma once

#include <string>

#include "kml/base/clock.h"
#include "kml/base/json.h"

namespace kml::local {

/// Whether the shim reports that the pod has ended.
bool says_ended(const Json& shim_status);

/// Copies the shim's report into the pod's status. `reason` says why the server ended the pod; empty if it
/// did not.
void apply_shim_status(Json& pod, const Json& shim_status, const std::string& reason, Time now);

/// Sets the status of a pod whose shim was killed: the pod has failed, with unknown exit codes. This is a
/// disruption, because the program did not cause it.
void apply_lost(Json& pod, Time now);

/// Sets the status of a pod whose shim died while the pod was being stopped for `reason`. This is not a
/// disruption, because the pod had to end.
void apply_stopped(Json& pod, const std::string& reason, Time now);

/// Sets the status of a pod that has ended but never ran.
void apply_never_started(Json& pod, Time now);

/// Sets the status of a pod that cannot be started yet. The server will try again.
void apply_waiting(Json& pod, const std::string& reason, const std::string& message, Time now);

}  // namespace kml::local
