#pragma once

#include "kml/jobs/sweep/sweep_runner.h"
#include "kml/jobs/watching/job_runner.h"

namespace kml::jobs {

/// The watch options that both runners use for a sweep's jobs.
WatchOptions watch_options(const SweepRunnerOptions& options);

}  // namespace kml::jobs
