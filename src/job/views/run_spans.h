#pragma once

#include <utility>
#include <vector>

#include "kml/base/clock.h"

namespace kml::job {

/// How long at least one of several pods ran. Each span is the start and the end of a pod.
nanoseconds time_covered(std::vector<std::pair<Time, Time>> spans);

}  // namespace kml::job
