#pragma once

#include <functional>

#include "cli/context.h"
#include "kml/base/error.h"

namespace kml::cli {

/// Returns a callback for requests that are retried. Once a minute, it prints a note that the server does not
/// respond, and it restarts the embedded server. `context` must outlive the callback.
std::function<void(const Error&)> retry_notes(Context& context);

}  // namespace kml::cli
