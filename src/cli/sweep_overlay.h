#pragma once

#include "cli/sweep_request.h"
#include "kml/core/json.h"

namespace kml::cli {

/// Writes what the flags say over a sweep's document, whose sections must be in shape (see
/// sweep::require_sections()). Throws Error (usage).
void lay_over(Json& document, const SweepRequest& request);

}  // namespace kml::cli
