#pragma once

#include <filesystem>
#include <string>

#include "cli/context.h"
#include "kml/pipeline/run_state.h"

namespace kml::cli {

/// The file beside a run's journal to which engines in the background write their messages.
std::filesystem::path run_engine_log(const std::string& run);

/// Goes on with the run of that name, whose journal has begun, by a process in the background: returns once
/// that has made the first jobs, or ended. Throws the Error that ended it before.
void run_in_other_process(Context& context, const std::string& run);

/// Waits until the run has ended. Throws Error (interrupted) on a signal, and where its engine was ended.
pipeline::RunState wait_for_run(const std::string& run);

}  // namespace kml::cli
