#pragma once

#include <string>

#include "cli/context.h"
#include "kml/jobs/sweep/sweep_objects.h"

namespace kml::cli {

/// The jobs of a sweep, with their logs, and what it brought along.
void remove_sweep_objects(Context& context, const jobs::SweepMarks& sweep);

/// A sweep of this machine, with its journal, whatever is in that. An engine that was told to end its trials
/// is waited for; throws Error if one runs otherwise, and where the sweep runs elsewhere than this target.
void remove_sweep(Context& context, const std::string& name);

}  // namespace kml::cli
