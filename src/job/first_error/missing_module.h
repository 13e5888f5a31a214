#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "kml/job/why/cause.h"

namespace kml::job {

/// If one of the lines is Python's error for a missing module, adds to the cause which Python lacks the
/// module, where that Python was started, and what to do. `lines` are the messages of the cause, and the last
/// lines of the log of a pod of `job`. `command` is the job's command, quoted for a shell. `folder` is the
/// user's current folder.
void name_missing_module(std::span<const std::string> lines, const Json& job, const std::string& command,
                         const std::filesystem::path& folder, Cause& cause);

}  // namespace kml::job
