#pragma once

#include <functional>

#include "cli/context.h"
#include "kml/base/error.h"

namespace kml::cli {

/// Returns a callback that prints a note once a minute while a server does not answer, and that starts the
/// embedded server again. `context` must outlive the callback.
std::function<void(const Error&)> retry_notes(Context& context);

}  // namespace kml::cli
