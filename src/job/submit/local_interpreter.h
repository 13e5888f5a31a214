#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kml::job {

/// The interpreter that a command on this machine starts. Both members are empty if the command starts none
/// that kml knows.
struct LocalInterpreter {
  std::string path;
  std::string python_version;  ///< empty for another language, or if no file shows it
};

/// Finds the interpreter of a command without running any program. `folder` is the command's working folder,
/// and `search` is PATH.
LocalInterpreter interpreter_of_command(const std::vector<std::string>& command,
                                        const std::filesystem::path& folder, const std::string& search);

/// The version of the GPU driver of this machine; empty if none is loaded.
std::string local_driver_version();

}  // namespace kml::job
