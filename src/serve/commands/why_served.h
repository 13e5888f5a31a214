#pragma once

#include <optional>
#include <string>

#include "cli/context.h"
#include "job/commands/explained.h"

namespace kml::cli {

/// Whether the served program with this name is ready, and if not, why. Empty if no such program can be
/// found.
std::optional<Explained> explain_served(Context& context, const std::string& name);

}  // namespace kml::cli
