#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace kml::local {

/// Starts `binary COMMAND FOLDER` in a separate session, so that it does not get signals meant for the
/// server's terminal or process group. No signals are blocked. `input` becomes its standard input; -1 means
/// this process's standard input. Returns its pid. If that fails, throws Error: "cannot start WHAT".
pid_t start_in_own_session(const std::filesystem::path& binary, const char* command,
                           const std::filesystem::path& folder, int input, const std::string& what);

}  // namespace kml::local
