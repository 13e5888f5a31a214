#pragma once

#include "kml/base/json.h"
#include "sweep/commands/sweep_request.h"

namespace kml::cli {

/// Applies the flags to a sweep's document. The document's sections must be well formed (see
/// sweep::require_sections()). Throws Error (usage).
void lay_over(Json& document, const SweepRequest& request);

/// When a sweep continues, copies the settings from `before` that the user has not given again: budgets,
/// goal, number of parallel trials, retries, and the places of metrics and checkpoints.
void keep_unsaid(Json& document, const Json& before);

}  // namespace kml::cli
