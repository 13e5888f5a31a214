#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "cli/context.h"

namespace kml::cli {

/// An engine that runs in a separate process and survives its terminal. The process runs the hidden command
/// `kml KIND background NAME`.
struct BackgroundEngine {
  std::string kind, name;     ///< "sweep", "lr1"
  std::filesystem::path log;  ///< the engine's messages
};

/// Starts the engine with the flags that choose the server, and waits until it reports that it is running.
/// Returns its process id. If the engine cannot start, throws its Error.
int start_engine_process(Context& context, const BackgroundEngine& engine);

/// Runs `engine` in the new process. `engine` must call `started` once it is running. The starting process
/// learns that the engine is running, or why it failed before that.
int run_background_engine(const std::function<int(const std::function<void()>& started)>& engine);

}  // namespace kml::cli
