#pragma once

#include "cli/context.h"
#include "kml/job/spec/submit_spec.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::cli {

// Checks of a pipeline that this process runs for an agent. They throw usage Error before anything starts;
// without an agent, they do nothing.

/// The steps' inputs from outside the pipeline must be files that the agent may read, or artifacts of runs
/// that the command may show; see Context::shows().
void require_agents_inputs(Context& context, const pipeline::Pipeline& pipeline);

/// The secret variables of a step must be variables that the agent may copy.
void require_agents_secrets(const spec::SubmitSpec& step);

}  // namespace kml::cli
