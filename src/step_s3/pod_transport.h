#pragma once

#include <memory>

#include "kml/net/http/transport.h"

namespace kml::step_s3 {

/// A transport for pods, whose images may lack libcurl. Uses HTTP/1.1, with one connection at a time. It
/// supports neither connections for other protocols nor timers. It has one stream at a time, and its wait()
/// reads the whole stream.
std::unique_ptr<http::Transport> make_pod_transport(http::Endpoint endpoint);

}  // namespace kml::step_s3
