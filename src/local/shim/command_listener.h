#pragma once

#include <functional>
#include <map>
#include <string>

#include "local/loop/event_loop.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

/// The part of a pod's shim that accepts the server's requests for commands (see CommandRequest), and passes
/// each one to the keeper of the right container.
class CommandListener {
 public:
  /// Returns the socket to a container's keeper, or null if the container is not running.
  using FindKeeper = std::function<const Fd*(const std::string& container)>;

  /// If the socket cannot be created, prints the reason to stderr; the pod still runs.
  CommandListener(EventLoop& loop, const PodFolder& folder, FindKeeper find_keeper);

 private:
  struct Caller {
    Fd connection;
    EventLoop::Timer deadline;
  };

  void listen();
  void welcome();
  void take_request(int caller);
  void hang_up(int caller);

  EventLoop& loop_;
  FindKeeper find_keeper_;
  Fd listener_;
  std::map<int, Caller> callers_;  ///< connections on which no request has arrived yet, by descriptor
};

}  // namespace kml::local
