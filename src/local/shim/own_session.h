#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace kml::local {

/// Starts `binary COMMAND FOLDER` in a separate session, which protects it from signals to the server's
/// terminal or process group, and with no signal blocked. `input` becomes its standard input; -1 is this
/// process's. Returns its pid. Throws Error: "cannot start WHAT".
pid_t start_in_own_session(const std::filesystem::path& binary, const char* command,
                           const std::filesystem::path& folder, int input, const std::string& what);

}  // namespace kml::local
