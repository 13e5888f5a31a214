#pragma once

#include <functional>

#include "kml/local/daemon.h"

namespace kml::local {

/// Like serve(), but calls `on_ready` once the server responds.
int serve_until_stopped(const ServeOptions& options, const std::function<void()>& on_ready);

/// The signal that makes a server end its jobs, wait for their processes, and exit.
int stop_jobs_signal();

}  // namespace kml::local
