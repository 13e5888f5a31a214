#pragma once

#include <string>

#include "cli/command.h"

namespace kml::cli {

/// What `--help` prints. `path` is the command's: "kml local up". Root options are left out below the root.
std::string help_text(const Command& command, const std::string& path);

/// "kml logs [flags] JOB...".
std::string usage_line(const Command& command, const std::string& path);

}  // namespace kml::cli
