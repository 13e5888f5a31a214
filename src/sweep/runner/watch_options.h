#pragma once

#include "kml/engine/watching/job_runner.h"
#include "sweep/runner/sweep_runner.h"

namespace kml::sweep {

/// The watch options for a sweep's jobs, which both runners use.
engine::WatchOptions watch_options(const SweepRunnerOptions& options);

}  // namespace kml::sweep
