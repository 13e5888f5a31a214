#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// The command line that was probably meant if the command requires "--" and none was typed: kml's flags and
/// the command's own words, then "--", then all other words. `before` has the words after `path`, up to "--".
std::string with_dashes(const Command& root, const Command& command, const std::string& path,
                        const std::vector<std::string>& before, const std::vector<std::string>& after);

}  // namespace kml::cli
