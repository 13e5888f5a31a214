#pragma once

#include <optional>
#include <string>

#include "cli/context.h"
#include "job/commands/explained.h"

namespace kml::cli {

/// What a run waits for, or why it has ended.
struct HeldRun {
  std::string job;      ///< the job of the step or engine that holds up the run; empty if there is none
  Explained explained;  ///< for a run without such a job
};

/// Prints a note about the step that holds up the run. Prefers a failed step, then one that has not started,
/// then a running one, and last a step whose failure does not end the run. If the engine of a run in the
/// cluster has not started, or has ended too early, the result names the engine's job. Empty if no run has
/// that name.
std::optional<HeldRun> explain_run(Context& context, const std::string& name);

}  // namespace kml::cli
