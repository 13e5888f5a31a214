#pragma once

#include <filesystem>
#include <string>

#include "cli/context.h"
#include "kml/pipeline/engine/run_state.h"

namespace kml::cli {

/// The file in a run's folder to which background engines write their messages.
std::filesystem::path run_engine_log(const std::string& run);

/// Continues a run in a background process. The journal must already exist. Returns once that process has
/// created the first jobs or has ended. If the process ended early, throws its Error.
void run_in_other_process(Context& context, const std::string& run);

/// Waits until the run has ended. Throws Error (interrupted) on a signal or if the engine was killed.
pipeline::RunState wait_for_run(const std::string& run);

}  // namespace kml::cli
