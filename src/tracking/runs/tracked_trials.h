#pragma once

#include <vector>

#include "kml/sweep/engine/sweep_state.h"
#include "kml/tracking/runs/metric_courses.h"
#include "kml/tracking/runs/tracked_run.h"

namespace kml::tracking {

/// A trial of a sweep in the form of a run. Its id is the id of the sweep's run followed by "/NUMBER", and
/// its kind is "trial".
struct TrackedTrial {
  TrackedRun run;
  MetricCourses courses;  ///< the curve of the objective; for other metrics, only the last value
};

/// The trials in the order of their numbers. `parent` is the run of the sweep.
std::vector<TrackedTrial> tracked_trials(const sweep::SweepState& state, const TrackedRun& parent);

}  // namespace kml::tracking
