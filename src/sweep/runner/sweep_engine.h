#pragma once

#include "kml/engine/in_cluster/engine_job.h"
#include "kml/sweep/runner/sweep_objects.h"

namespace kml::sweep {

/// The program `kml sweep engine NAME` for a pod, with the rights that it needs. `kind` is the kind of the
/// trials, and `are_gangs` is whether they get PodGroups.
engine::EngineProgram sweep_engine(const SweepMarks& sweep, const api::ResourceKind& kind, bool are_gangs);

}  // namespace kml::sweep
