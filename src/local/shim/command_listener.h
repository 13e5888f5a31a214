#pragma once

#include <functional>
#include <map>
#include <string>

#include "local/loop/event_loop.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

/// In a pod's shim: takes the server's requests for further commands and hands each on to the keeper of the
/// container that it names.
class CommandListener {
 public:
  /// Where requests to the keeper of a container go; null if that does not run.
  using FindKeeper = std::function<const Fd*(const std::string& container)>;

  /// Without a socket, which stderr tells of, the pod runs all the same.
  CommandListener(EventLoop& loop, const PodFolder& folder, FindKeeper find_keeper);

 private:
  struct Caller {
    Fd connection;
    EventLoop::Timer deadline;
  };

  void welcome();
  void take_request(int caller);
  void hang_up(int caller);

  EventLoop& loop_;
  FindKeeper find_keeper_;
  Fd listener_;
  std::map<int, Caller> callers_;  ///< that have not said what they want, by descriptor
};

}  // namespace kml::local
