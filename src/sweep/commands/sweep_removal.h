#pragma once

#include <string>

#include "cli/context.h"
#include "kml/sweep/runner/sweep_objects.h"

namespace kml::cli {

/// Removes the sweep's jobs, their logs, and all other objects that the sweep created. `document` is the
/// sweep's document, which names the kind of its trials; null if it is unknown.
void remove_sweep_objects(Context& context, const sweep::SweepMarks& sweep, const Json& document);

/// Removes a sweep from this machine, with its journal, even if that is damaged. If the sweep's engine was
/// told to stop at once, waits for it. Throws Error if the engine is running and was not told so, or if the
/// sweep is on a different target.
void remove_sweep(Context& context, const std::string& name);

}  // namespace kml::cli
