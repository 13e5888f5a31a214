#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "cli/context.h"
#include "kml/pipeline/engine/run_state.h"

namespace kml::cli {

/// The file in a run's folder to which background engines write their messages.
std::filesystem::path run_engine_log(const std::string& run);

/// Continues a run in a background process. The journal must already exist. Returns once the engine has
/// started or has ended. If it ended early, throws its Error.
void run_in_other_process(Context& context, const std::string& run);

/// Like run_in_other_process(), and prints that the run is running in the background.
void go_on_in_background(Context& context, const std::string& run);

/// Waits until `is_enough` returns true for the run's state, or until the run and its engine have ended. The
/// engine ends last, because it then records metrics. Throws Error (interrupted) on a signal, and Error
/// (failure) if the engine was killed.
pipeline::RunState wait_for_run(const std::string& run,
                                const std::function<bool(const pipeline::RunState&)>& is_enough);

}  // namespace kml::cli
