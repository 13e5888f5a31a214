#pragma once

#include "kml/jobs/sweep/sweep_runner.h"
#include "kml/jobs/watching/job_runner.h"

namespace kml::jobs {

/// How the jobs of a sweep are watched, by either of its runners.
WatchOptions watch_options(const SweepRunnerOptions& options);

}  // namespace kml::jobs
