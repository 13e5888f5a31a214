#pragma once

#include <memory>

#include "kml/net/http/transport.h"

namespace kml::kube {

/// Repeats a request once if the server rejects it with 401, because a credential plugin or a renewed file
/// may now provide a different credential. Does not repeat upgraded connections, because only their owners
/// know which data waits to be sent. `transport` must outlive the result.
std::unique_ptr<http::Transport> renewing(http::Transport& transport);

}  // namespace kml::kube
