#pragma once

#include "kml/jobs/in_cluster/engine_job.h"
#include "kml/jobs/sweep/sweep_objects.h"

namespace kml::jobs {

/// The program `kml sweep engine NAME` for a pod, with the rights that it needs. `kind` is that of the
/// trials.
EngineProgram sweep_engine(const SweepMarks& sweep, const api::ResourceKind& kind);

}  // namespace kml::jobs
