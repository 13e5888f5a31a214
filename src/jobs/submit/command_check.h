#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kml::jobs {

/// Throws Error (usage), with what to write instead, for a command that no program can be: a whole line as
/// one word, a variable's assignment, or a script of `folder` that may not be executed. `folder` is where the
/// command begins, if its files are known here; else empty.
void check_command(const std::vector<std::string>& command, const std::filesystem::path& folder);

}  // namespace kml::jobs
