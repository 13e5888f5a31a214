#pragma once

#include <memory>

#include "kml/net/http/transport.h"

namespace kml::kube {

/// Repeats once what the server rejects with 401, because a credential plugin or a renewed file may now give
/// another credential. Connections are not repeated: what waits to be sent over them is known only to their
/// owner. `transport` must outlive it.
std::unique_ptr<http::Transport> renewing(http::Transport& transport);

}  // namespace kml::kube
