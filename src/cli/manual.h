#pragma once

#include <string>

#include "cli/command.h"

namespace kml::cli {

/// What the manual says of a flag, in whole sentences; its help is only a phrase. `path` is the command's.
std::string manual_text(const Option& option, const std::string& path);

/// Whether the manual has sentences of its own for the flag, and does not make one of its help.
bool has_manual_text(const Option& option, const std::string& path);

}  // namespace kml::cli
