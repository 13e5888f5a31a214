#pragma once

#include <span>
#include <string>

#include "kml/job/why/cause.h"

namespace kml::job {

/// If a line is Python's error for a missing module, adds to the cause which Python missed it, where that was
/// started, and what to do. `lines` end the log of a pod of `job`; `command` is the job's, for a shell.
void name_missing_module(std::span<const std::string> lines, const Json& job, const std::string& command,
                         Cause& cause);

}  // namespace kml::job
