#pragma once

#include "kml/jobs/in_cluster/engine_job.h"
#include "kml/jobs/sweep/sweep_objects.h"

namespace kml::jobs {

/// The program `kml sweep engine NAME` for a pod, with the rights that it needs. `trial` is a trial's
/// manifest.
EngineProgram sweep_engine(const SweepMarks& sweep, const Json& trial);

}  // namespace kml::jobs
