#pragma once

#include "pipeline/commands/run_session.h"

namespace kml::cli {

/// Like check_wheels(), for all steps that are known before the run.
void check_wheels_of_steps(Context& context, const PipelineHere& here, const Json& params);

}  // namespace kml::cli
