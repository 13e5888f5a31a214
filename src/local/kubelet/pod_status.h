#pragma once

#include <string>

#include "kml/base/clock.h"
#include "kml/base/json.h"

namespace kml::local {

/// Whether the shim's report is one of the pod's end.
bool says_ended(const Json& shim_status);

/// Copies the shim's report into the pod's status. `reason` is why the server ended the pod; empty if it did
/// not.
void apply_shim_status(Json& pod, const Json& shim_status, const std::string& reason, Time now);

/// Sets the status of a pod if its shim was killed: failed, with unknown exit codes. This is a disruption,
/// since the program did not cause it.
void apply_lost(Json& pod, Time now);

/// Sets the status of a pod if it was being stopped for `reason` when its shim died. This is not a
/// disruption, so the job does not replace the pod.
void apply_stopped(Json& pod, const std::string& reason, Time now);

/// Sets the status of a pod that ended without having run.
void apply_never_started(Json& pod, Time now);

/// Sets the status of a pod that cannot be started yet and will be retried.
void apply_waiting(Json& pod, const std::string& reason, const std::string& message, Time now);

}  // namespace kml::local
