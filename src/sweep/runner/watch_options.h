#pragma once

#include "kml/engine/watching/job_runner.h"
#include "sweep/runner/sweep_runner.h"

namespace kml::sweep {

/// The watch options that both runners use for a sweep's jobs.
engine::WatchOptions watch_options(const SweepRunnerOptions& options);

}  // namespace kml::sweep
