#pragma once

#include "cli/command.h"
#include "sweep/commands/sweep_request.h"

namespace kml::cli {

// The flags that describe a sweep. Their values are stored in `request`, which must outlive the command.

/// Declares the flags that decide when the sweep ends, and how many trials run at the same time.
void add_budget_flags(Command& command, SweepRequest& request);
/// Declares the flags that decide how the sweep searches, and those of add_budget_flags().
void add_search_flags(Command& command, SweepRequest& request);
/// Declares the sweep's name and file, and the command and flags for the job of a trial.
void add_trial_flags(Command& command, SweepRequest& request);

}  // namespace kml::cli
