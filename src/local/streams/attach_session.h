#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "kml/local/http_message.h"
#include "local/streams/stream_request.h"

namespace kml::local {

/// Sends what a container writes after this call, each source on its channel, until the container ends.
using AttachSources = std::vector<std::pair<Channel, std::unique_ptr<BodySource>>>;
std::unique_ptr<SocketSession> attach_session(AttachSources sources);

}  // namespace kml::local
