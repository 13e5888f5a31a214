#pragma once

#include <string>

#include "cli/context.h"
#include "kml/pipeline/pipeline.h"

namespace kml::cli {

/// Records the courses of the metrics that steps of an ended run of this machine have as outputs, and all
/// metrics of a submit with artifacts. Leaves out those whose log cannot be read.
void record_metrics_of_run(Context& context, const pipeline::Pipeline& pipeline, const std::string& run);

}  // namespace kml::cli
