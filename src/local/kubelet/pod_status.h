#pragma once

#include <string>

#include "kml/core/clock.h"
#include "kml/core/json.h"

namespace kml::local {

/// Puts what a shim reports into the pod's status. `reason` is why the server ended it, empty if it did
/// not.
void apply_shim_status(Json& pod, const Json& shim_status, const std::string& reason, Time now);

/// The status of a pod whose shim was killed: failed, its containers' ends unknown. A disruption, since the
/// program is not to blame.
void apply_lost(Json& pod, Time now);

/// The same of a pod that was told to end, `reason` being why: that is not a disruption, so its job makes no
/// other in its place.
void apply_stopped(Json& pod, const std::string& reason, Time now);

/// The status of a pod that ends without having run.
void apply_never_started(Json& pod, Time now);

/// The status of a pod that cannot be started yet, and will be tried again.
void apply_waiting(Json& pod, const std::string& reason, const std::string& message, Time now);

}  // namespace kml::local
