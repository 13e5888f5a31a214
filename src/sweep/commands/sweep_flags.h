#pragma once

#include "cli/command.h"
#include "sweep/commands/sweep_request.h"

namespace kml::cli {

// The flags that describe a sweep. Given values go to `request`, which must outlive the command.

/// When the sweep ends.
void add_budget_flags(Command& command, SweepRequest& request);
/// How the sweep searches, its budget included.
void add_search_flags(Command& command, SweepRequest& request);
/// The command of the trials, and the name of the sweep.
void add_trial_flags(Command& command, SweepRequest& request);

}  // namespace kml::cli
