#pragma once

#include <string>

#include "kml/core/json.h"
#include "kml/jobs/sweep_runner.h"

namespace kml::jobs {

/// What is sent for a trial's job: its manifest with name, labels, the environment KML_SWEEP and KML_TRIAL,
/// and away from nodes that failed others.
Json trial_manifest(const SweepRunnerOptions& options, const sweep::TrialJob& job);

}  // namespace kml::jobs
