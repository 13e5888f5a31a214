#pragma once

#include <optional>
#include <string>

#include "cli/context.h"
#include "job/commands/explained.h"

namespace kml::cli {

/// What a run waits for, or why it has ended.
struct HeldRun {
  std::string job;      ///< the job of the step in question; empty if it has none
  Explained explained;  ///< for a run without such a job
};

/// Prints a note about the step that holds up the run. Prefers a failed step, then one that has not started,
/// then a running one, and last a step whose failure does not end the run. Of a run in the cluster, it is the
/// engine's job if the engine has not started or has ended too early. Empty if no run has that name.
std::optional<HeldRun> explain_run(Context& context, const std::string& name);

}  // namespace kml::cli
