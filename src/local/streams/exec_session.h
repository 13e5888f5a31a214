#pragma once

#include <memory>
#include <string>

#include "kml/local/http_message.h"
#include "local/loop/event_loop.h"
#include "local/shim/command_channel.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

/// Which of a command's streams the client wants.
struct WantedStreams {
  bool in = false, out = false, err = false;
};

/// Runs one more command in a pod's container and connects its streams to the client.
std::unique_ptr<SocketSession> exec_session(EventLoop& loop, const PodFolder& folder, CommandRequest command,
                                            const WantedStreams& wanted);

}  // namespace kml::local
