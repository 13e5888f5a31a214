#pragma once

#include <string>

#include "cli/context.h"
#include "kml/pipeline/engine/run_state.h"

namespace kml::cli {

/// Records the GPU time of an ended run's jobs, and the curves of the metrics that are outputs of its steps
/// (of at most 50 steps), under `run_id`. For a submit with artifacts, records all of its metrics. Leaves out
/// what cannot be read.
void record_metrics_of_run(Context& context, const pipeline::RunState& state, const std::string& run_id);

}  // namespace kml::cli
