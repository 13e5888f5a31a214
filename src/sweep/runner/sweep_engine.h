#pragma once

#include "kml/engine/in_cluster/engine_job.h"
#include "kml/sweep/runner/sweep_objects.h"

namespace kml::sweep {

/// The program `kml sweep engine NAME` for a pod, with the rights that it needs. `kind` is the kind of the
/// trials.
engine::EngineProgram sweep_engine(const SweepMarks& sweep, const api::ResourceKind& kind);

}  // namespace kml::sweep
