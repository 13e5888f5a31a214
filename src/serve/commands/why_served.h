#pragma once

#include <string>

#include "cli/context.h"

namespace kml::cli {

/// If `kml serve` has created a model with that name, prints whether it is ready, and if not, why. Returns
/// false if no model has that name.
bool explain_served(Context& context, const std::string& name);

}  // namespace kml::cli
