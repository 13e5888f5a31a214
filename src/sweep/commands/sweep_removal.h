#pragma once

#include <string>

#include "cli/context.h"
#include "kml/sweep/runner/sweep_objects.h"

namespace kml::cli {

/// Removes the sweep's jobs, their logs, and all other objects that the sweep created.
/// `document` is that of the sweep, which names the kind of its trials; null if it is not known.
void remove_sweep_objects(Context& context, const sweep::SweepMarks& sweep, const Json& document);

/// Removes a sweep on this machine and its journal, even a damaged one. If its engine has been told to stop,
/// waits for the engine. Throws Error if its engine is running and was not told to stop, or if the sweep
/// belongs to another target.
void remove_sweep(Context& context, const std::string& name);

}  // namespace kml::cli
