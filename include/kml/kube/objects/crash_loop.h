#pragma once

#include "kml/base/json.h"

namespace kml::api {

/// Whether a pod's container waits to be started again after it has crashed repeatedly. The kubelet reports
/// this by the reason CrashLoopBackOff, but since Kubernetes 1.35 only after a minute. Until then, the status
/// shows how the last run ended, as for a container that will not be started again.
bool is_in_crash_loop(const Json& pod, const Json& status);

/// How often the container has crashed: the number of its restarts, plus one while is_in_crash_loop(). 0 if
/// its last run has succeeded.
long long crashes_of(const Json& pod, const Json& status);

/// The state `terminated` of the container's last run that ended; nullptr if the kubelet has reported none.
const Json* last_crash(const Json& status);

}  // namespace kml::api
