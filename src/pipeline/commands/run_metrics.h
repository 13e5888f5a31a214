#pragma once

#include <string>

#include "cli/context.h"
#include "kml/pipeline/engine/run_state.h"

namespace kml::cli {

/// Records the GPU time of the jobs of an ended run, and the courses of the metrics that its steps have as
/// outputs, by `run_id`; of a submit with artifacts, all its metrics. Leaves out what cannot be read.
void record_metrics_of_run(Context& context, const pipeline::RunState& state, const std::string& run_id);

}  // namespace kml::cli
