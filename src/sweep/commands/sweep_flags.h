#pragma once

#include "cli/command.h"
#include "sweep/commands/sweep_request.h"

namespace kml::cli {

// The flags that describe a sweep. Their values are stored in `request`, which must outlive the command.

/// Flags for when the sweep ends.
void add_budget_flags(Command& command, SweepRequest& request);
/// Flags for how the sweep searches, including its budget.
void add_search_flags(Command& command, SweepRequest& request);
/// Declares the command for the trials, and the sweep's name.
void add_trial_flags(Command& command, SweepRequest& request);

}  // namespace kml::cli
