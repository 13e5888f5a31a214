#pragma once

#include <string>

#include "step_s3/wire.h"

namespace kml::step_s3 {

/// Parses a proxy's URL, such as http://user:password@proxy:3128. Throws usage Error if the scheme is not
/// http.
Proxy parse_proxy(const std::string& url);

/// Asks the proxy at the other end of `wire` for a tunnel to "host:port" (RFC 9110, section 9.3.6). Throws
/// Error (unreachable) if the proxy rejects it.
void open_tunnel(Wire& wire, const Proxy& proxy, const std::string& server);

}  // namespace kml::step_s3
