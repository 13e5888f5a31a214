#pragma once

#include "kml/job/spec/submit_spec.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::cli {

// Checks of a pipeline that this process runs for an agent. They throw usage Error before anything starts;
// without an agent, they do nothing.

/// The steps' files from outside the pipeline must be files that the agent may read.
void require_agents_inputs(const pipeline::Pipeline& pipeline);

/// The secret variables of a step must be variables that the agent may copy.
void require_agents_secrets(const spec::SubmitSpec& step);

}  // namespace kml::cli
