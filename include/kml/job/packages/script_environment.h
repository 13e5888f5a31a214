#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kml::packages {

/// The words that run a command on this machine in an environment of environments_folder() that a script has
/// filled: `sh -c SCRIPT true`, with the environment's own Python and pip first in PATH. The environment
/// depends on the script and on `python`, and can also import the packages of that Python. It is made when a
/// command first needs it, and made again if its files have changed. Writes the programs that do this into
/// locks_folder().
std::vector<std::string> in_script_environment(const std::string& script, const std::filesystem::path& python,
                                               const std::vector<std::string>& command);

}  // namespace kml::packages
