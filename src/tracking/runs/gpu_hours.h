#pragma once

#include <string>
#include <vector>

#include "kml/tracking/runs/tracked_run.h"

namespace kml::tracking {

/// "1.55"
std::string hours_text(double hours);

/// Adds the fact "GPU hours" to submits and pipeline runs for which GPU time is recorded. Includes all
/// attempts. If the GPU time is only known for a part of the time, the text says so: "1.55 (known for 92% of
/// the time)".
void add_gpu_hours(std::vector<TrackedRun>& runs);

}  // namespace kml::tracking
