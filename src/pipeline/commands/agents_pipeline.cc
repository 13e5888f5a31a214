#include "pipeline/commands/agents_pipeline.h"

#include "kml/base/agent.h"
#include "kml/base/error.h"
#include "kml/pipeline/engine/runs.h"
#include "pipeline/commands/run_selection.h"
#include "pipeline/runner/filled_here.h"

namespace kml::cli {

namespace {

/// A run that was deleted has no target.
void require_shown(Context& context, const std::string& artifact) {
  const std::string run = artifact.substr(0, artifact.find('/'));
  if (runs_for_agent() && pipeline::has_run(run) && !is_shown_run(context, run))
    throw usage_error("artifact " + artifact + " belongs to another context or namespace", "",
                      "ask the user, who can run the pipeline");
}

}  // namespace

void require_agents_inputs(Context& context, const pipeline::Pipeline& pipeline) {
  for (const pipeline::Step& step : pipeline.steps)
    for (const pipeline::Input& input : step.inputs) {
      if (!input.path.empty()) require_agents_file(pipeline.folder / input.path);
      if (!input.artifact.empty()) require_shown(context, input.artifact);
    }
}

void require_agents_secrets(const spec::SubmitSpec& step) {
  for (const spec::SecretVariable& secret : step.secrets)
    if (secret.from == spec::SecretVariable::From::environment && runs_for_agent())
      variable_for_job(secret.name);
}

}  // namespace kml::cli
