#pragma once

#include <memory>
#include <string>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "step_s3/wire.h"

namespace kml::step_s3 {

/// Starts TLS 1.2 on a connected socket, and checks the server's certificate.
std::unique_ptr<Wire> start_tls(Fd socket, const Peer& peer);

Error no_connection(const std::string& server, const std::string& why);
Error connection_broke(const std::string& server, const std::string& why);

}  // namespace kml::step_s3
