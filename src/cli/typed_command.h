#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// The command line that the user probably meant, if the command requires "--" and the user typed none: kml's
/// flags and the command's own words, then "--", then all other words. `before` has the words after `path`,
/// up to "--".
std::string with_dashes(const Command& root, const Command& command, const std::string& path,
                        const std::vector<std::string>& before, const std::vector<std::string>& after);

}  // namespace kml::cli
