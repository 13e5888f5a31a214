#pragma once

#include <vector>

#include "kml/sweep/engine/sweep_state.h"
#include "kml/tracking/runs/metric_courses.h"
#include "kml/tracking/runs/tracked_run.h"

namespace kml::tracking {

/// A trial of a sweep, in the terms of a run: its id is that of the sweep's run with "/NUMBER", its kind
/// "trial".
struct TrackedTrial {
  TrackedRun run;
  MetricCourses courses;  ///< of the objective; of other metrics only the last value
};

/// The trials in the order of their numbers. `parent` is the sweep's run.
std::vector<TrackedTrial> tracked_trials(const sweep::SweepState& state, const TrackedRun& parent);

}  // namespace kml::tracking
