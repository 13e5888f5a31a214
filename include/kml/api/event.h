#pragma once

#include <optional>

#include "kml/core/clock.h"
#include "kml/core/json.h"

namespace kml::api {

/// When a v1 Event was last seen. events.k8s.io/v1 counts repetitions in `series` and leaves the timestamps
/// of core/v1 empty, so whichever its reporter has filled in counts, the latest first, as in `kubectl
/// events`.
std::optional<Time> time_of_event(const Json& event);

}  // namespace kml::api
