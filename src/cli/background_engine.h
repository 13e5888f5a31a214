#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "cli/context.h"

namespace kml::cli {

/// An engine that outlives its terminal, in a process of its own: `kml KIND background NAME` (hidden).
struct BackgroundEngine {
  std::string kind, name;     ///< "sweep", "lr1"
  std::filesystem::path log;  ///< its messages
};

/// Starts it with the flags that choose the server, and waits until it says that it runs; its process. Throws
/// the Error that it could not run for.
int start_engine_process(Context& context, const BackgroundEngine& engine);

/// In that process: runs `engine`, which calls `started` once it is under way, and lets whoever started the
/// process know, or the Error that ended it before.
int run_background_engine(const std::function<int(const std::function<void()>& started)>& engine);

}  // namespace kml::cli
