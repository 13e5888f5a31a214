#pragma once

#include <string>

#include "cli/context.h"

namespace kml::cli {

/// If `kml serve` has started something of that name, prints whether it is ready, and if not, why. Returns
/// false if nothing of that name is served.
bool explain_served(Context& context, const std::string& name);

}  // namespace kml::cli
