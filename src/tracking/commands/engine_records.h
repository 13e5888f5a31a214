#pragma once

#include "cli/context.h"
#include "engine/commands/cluster_engine.h"

namespace kml::cli {

/// Records the current user's sweeps and pipeline runs whose engines are in the target's cluster and
/// namespace, if they have changed, and the metrics of pipeline runs that have ended. Stops after 5 s; the
/// next call continues. A failure is only printed as a note.
void look_up_engines(Context& context);

/// Records a sweep or pipeline run that will be deleted. A failure is only printed as a note.
void record_engine(Context& context, const ClusterEngine& engine);

}  // namespace kml::cli
