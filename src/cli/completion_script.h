#pragma once

#include <string>

#include "cli/command.h"

namespace kml::cli {

/// A script for "bash", "zsh" or "fish" that completes commands, flags and their choices. Where a JOB is
/// expected it asks `kml list -o name`.
std::string completion_script(const Command& root, const std::string& shell);

}  // namespace kml::cli
