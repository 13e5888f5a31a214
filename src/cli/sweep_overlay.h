#pragma once

#include "cli/sweep_request.h"
#include "kml/core/json.h"

namespace kml::cli {

/// Writes what the flags say over a sweep's document, whose sections must be in shape (see
/// sweep::require_sections()). Throws Error (usage).
void lay_over(Json& document, const SweepRequest& request);

/// What a sweep that goes on is not asked for again stays as it was in `before`: its budgets, its goal, how
/// many trials run at once, retries, where metrics and checkpoints are.
void keep_unsaid(Json& document, const Json& before);

}  // namespace kml::cli
