#pragma once

#include <functional>

#include "cli/context.h"
#include "kml/base/error.h"
#include "kml/kube/client/watch.h"

namespace kml::cli {

/// Returns a callback for requests that are retried. It prints the error, at most once a minute. If the
/// server is the embedded one, it starts that again instead, if necessary. `context` must outlive the
/// callback.
std::function<void(const Error&)> retry_notes(Context& context);

/// For watches of a command that called keep_server_down(): notes at most once a minute that the user has
/// ended the embedded server. `context` must outlive the callback.
kube::OnRetry notes_on_ended_server(Context& context);

}  // namespace kml::cli
