#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kml::jobs {

/// Throws Error (usage), with a correction, for a command that cannot be executed: a whole line as one word,
/// a variable assignment, or a script in `folder` that is not executable. `folder` is the command's working
/// folder if its files are known here; otherwise empty.
void check_command(const std::vector<std::string>& command, const std::filesystem::path& folder);

}  // namespace kml::jobs
