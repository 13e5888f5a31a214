#pragma once

#include <functional>

#include "cli/context.h"
#include "kml/core/error.h"

namespace kml::cli {

/// Tells of a server that gives no answer, once a minute. The embedded one is brought up again. `context`
/// must outlive the result.
std::function<void(const Error&)> retry_notes(Context& context);

}  // namespace kml::cli
