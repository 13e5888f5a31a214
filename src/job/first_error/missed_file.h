#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "kml/job/why/cause.h"

namespace kml::job {

/// If one of the lines says that a file of the user's current folder could not be opened or run, adds to the
/// cause why, and what to do: the job does not have the file, the file is not executable, or the program in
/// its first line does not exist. `lines` are the messages of the cause, and the last lines of the log of a
/// pod of `job`. `command` is the job's command, quoted for a shell.
void name_missed_file(std::span<const std::string> lines, const Json& job, const std::string& command,
                      const std::filesystem::path& folder, Cause& cause);

}  // namespace kml::job
