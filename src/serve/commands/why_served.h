#pragma once

#include <string>

#include "cli/context.h"

namespace kml::cli {

/// If `kml serve` has started something with that name, prints whether it is ready, and if not, why. Returns
/// false if nothing with that name is served.
bool explain_served(Context& context, const std::string& name);

}  // namespace kml::cli
