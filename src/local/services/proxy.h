#pragma once

#include <map>
#include <memory>
#include <unordered_map>

#include "local/loop/folder_watch.h"
#include "local/services/relay.h"
#include "local/services/routes.h"

namespace kml::local {

/// The process that listens at the ports of Services and passes each new connection on to the ready pods in
/// turn. It is a process of its own, so that neither a busy nor a killed server delays or breaks connections.
/// It ends by itself when it has no routes and no connections.
class Proxy {
 public:
  Proxy(EventLoop& loop, PodFolder folder);

 private:
  struct Listener {
    Fd socket;
    std::vector<int> targets;
    size_t turn = 0;
  };

  void read_routes();
  void listen(int port);
  void welcome(int port);
  std::vector<int> next_targets(int port);
  void end_if_unused();
  void watch_folder();

  EventLoop& loop_;
  PodFolder folder_;
  FolderWatch watch_;
  std::map<int, Listener> listeners_;  ///< by port
  std::unordered_map<uint64_t, std::unique_ptr<Relay>> relays_;
  uint64_t next_relay_ = 0;
};

}  // namespace kml::local
