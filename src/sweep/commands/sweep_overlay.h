#pragma once

#include "kml/base/json.h"
#include "sweep/commands/sweep_request.h"

namespace kml::cli {

/// Applies the flags to a sweep's document. The document's sections must be well formed (see
/// sweep::require_sections()). Throws usage Error.
void lay_over(Json& document, const SweepRequest& request);

/// If a sweep continues, keeps the settings of `before` that the user has not given again: budgets, the goal,
/// the number of parallel trials, the limit for failed trials, retries, and where metrics and checkpoints
/// are.
void keep_unsaid(Json& document, const Json& before);

}  // namespace kml::cli
