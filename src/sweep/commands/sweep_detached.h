#pragma once

#include <string>

#include "cli/context.h"

namespace kml::cli {

/// The file in a sweep's folder to which background engines write their messages.
std::filesystem::path engine_log(const std::string& name);

/// Continues a sweep in a background process. The journal must already exist. Returns the exit code once that
/// process has locked the journal and created the first jobs. If the process ended early, throws its Error.
int run_detached(Context& context, const std::string& name);

}  // namespace kml::cli
