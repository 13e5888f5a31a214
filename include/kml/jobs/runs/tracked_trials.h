#pragma once

#include <vector>

#include "kml/jobs/runs/metric_courses.h"
#include "kml/jobs/runs/tracked_run.h"
#include "kml/sweep/journal/sweep_state.h"

namespace kml::jobs {

/// A trial of a sweep, in the terms of a run: its id is "sweep/NAME/NUMBER", its kind "trial".
struct TrackedTrial {
  TrackedRun run;
  MetricCourses courses;  ///< of the objective; of other metrics only the last value
};

/// The trials in the order of their numbers.
std::vector<TrackedTrial> tracked_trials(const sweep::SweepState& state);

}  // namespace kml::jobs
