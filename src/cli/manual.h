#pragma once

#include <string>

#include "cli/command.h"

namespace kml::cli {

/// The sentences in the man page for a flag, whose help is only a phrase. `path` is the command's path.
std::string manual_text(const Option& option, const std::string& path);

/// Whether the man page has sentences for the flag. If not, it uses the flag's help.
bool has_manual_text(const Option& option, const std::string& path);

}  // namespace kml::cli
