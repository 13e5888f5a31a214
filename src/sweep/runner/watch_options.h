#pragma once

#include "kml/engine/watching/job_runner.h"
#include "sweep/runner/sweep_runner.h"

namespace kml::jobs {

/// The watch options that both runners use for a sweep's jobs.
WatchOptions watch_options(const SweepRunnerOptions& options);

}  // namespace kml::jobs
