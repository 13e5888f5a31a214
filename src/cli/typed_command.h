#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// The fix for a command line with more words before "--" than the command takes. Usually it is the command
/// line that the user probably meant: kml's flags and the command's own words, then "--", then all other
/// words. If the only other word is a manifest, it follows "-f" instead. If words are left over although a
/// program follows "--", the fix is a phrase: `leave out "b"`. `before` has the words after `path`, up to
/// "--", and `after` those after it.
std::string with_dashes(const Command& root, const Command& command, const std::string& path,
                        const std::vector<std::string>& before, const std::vector<std::string>& after);

}  // namespace kml::cli
