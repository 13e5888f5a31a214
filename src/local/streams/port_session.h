#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/local/http_message.h"
#include "local/loop/event_loop.h"

namespace kml::local {

/// SPDY in the messages of a WebSocket, which kubectl 1.31 and later use.
inline constexpr std::string_view kTunnel = "SPDY/3.1+portforward.k8s.io";

/// Forwards connections to the pod's ports. Each connection is a pair of SPDY streams.
std::unique_ptr<SocketSession> spdy_port_session(EventLoop& loop, Json pod);

/// Forwards one connection to each port. Port i uses channel 2 i of kChannelsV4 for data, and channel 2 i + 1
/// for errors.
std::unique_ptr<SocketSession> channel_port_session(EventLoop& loop, Json pod, std::vector<int> ports);

/// The number of a port; 0 if the text is not one.
int port_number(const std::string& text);

}  // namespace kml::local
