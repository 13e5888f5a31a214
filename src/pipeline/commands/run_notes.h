#pragma once

#include "cli/context.h"
#include "pipeline/commands/run_session.h"

namespace kml::cli {

/// Prints what may differ from what the pipeline's author expects: code that is not sent, links that lead to
/// nothing, and GPUs that steps choose by labels.
void note_about_steps(Context& context, const PipelineHere& here, const Json& params);

}  // namespace kml::cli
