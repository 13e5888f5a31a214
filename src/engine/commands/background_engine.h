#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "cli/context.h"

namespace kml::cli {

/// An engine that runs in a separate process, `kml KIND background NAME` (hidden), and survives its
/// terminal.
struct BackgroundEngine {
  std::string kind, name;     ///< "sweep", "lr1"
  std::filesystem::path log;  ///< its messages
};

/// Starts the engine with the flags that choose the server, and waits until it reports that it is running.
/// Returns its process number. Throws the Error that stopped the engine from running.
int start_engine_process(Context& context, const BackgroundEngine& engine);

/// Runs `engine` in the new process. `engine` must call `started` once it is running. Reports this to the
/// starting process; or, if an Error ended `engine` before, reports the Error.
int run_background_engine(const std::function<int(const std::function<void()>& started)>& engine);

}  // namespace kml::cli
