#pragma once

#include <string>

#include "cli/context.h"

namespace kml::cli {

/// The file in a sweep's folder that background engines write their messages to.
std::filesystem::path engine_log(const std::string& name);

/// Continues the sweep, whose journal must have been begun, in a background process. Returns the exit code
/// once that process has the journal's lock and has created the first jobs. Throws the Error that ended it
/// before.
int run_detached(Context& context, const std::string& name);

}  // namespace kml::cli
