#pragma once

#include <string>

#include "cli/context.h"

namespace kml::cli {

/// The file beside a sweep's journal to which engines in the background write their messages.
std::filesystem::path engine_log(const std::string& name);

/// Goes on with the sweep of that name, whose journal has begun, by a process in the background: returns once
/// that has the journal's lock and has made the first jobs. Throws the Error that ended it before; the exit
/// code.
int run_detached(Context& context, const std::string& name);

}  // namespace kml::cli
