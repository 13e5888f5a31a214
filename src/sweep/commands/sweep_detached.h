#pragma once

#include <string>

#include "cli/context.h"

namespace kml::cli {

/// The file in a sweep's folder that background engines write their messages to.
std::filesystem::path engine_log(const std::string& name);

/// Continues a sweep in a background process; its journal must already exist. Returns the exit code once that
/// process has locked the journal and created the first jobs. Throws the Error that ended the process early.
int run_detached(Context& context, const std::string& name);

}  // namespace kml::cli
