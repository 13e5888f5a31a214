#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// Declares -o with these formats and with kubectl's jsonpath= and custom-columns=, whose templates are
/// checked before the command runs.
Option& add_output_format(Command& command, std::vector<std::string> formats, std::string& target,
                          std::string help);

}  // namespace kml::cli
