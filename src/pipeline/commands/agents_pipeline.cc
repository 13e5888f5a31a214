#include "pipeline/commands/agents_pipeline.h"

#include "kml/base/agent.h"
#include "pipeline/runner/filled_here.h"

namespace kml::cli {

void require_agents_inputs(const pipeline::Pipeline& pipeline) {
  for (const pipeline::Step& step : pipeline.steps)
    for (const pipeline::Input& input : step.inputs)
      if (!input.path.empty()) require_agents_file(pipeline.folder / input.path);
}

void require_agents_secrets(const spec::SubmitSpec& step) {
  for (const spec::SecretVariable& secret : step.secrets)
    if (secret.from == spec::SecretVariable::From::environment && runs_for_agent())
      variable_for_job(secret.name);
}

}  // namespace kml::cli
