#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "local/loop/folder_watch.h"
#include "local/services/relay.h"
#include "local/services/routes.h"
#include "local/services/waiting_client.h"
#include "local/shim/status_file.h"

namespace kml::local {

/// The process that listens on the ports of Services, and passes each new connection to one of the ready
/// pods, in turn. It is a separate process, so that connections survive if the server is busy or killed. It
/// exits by itself when it has no routes and no connections. For ports whose pods are scaled to zero when
/// idle, it also reports the Demand to the server, and lets requests wait until a pod is ready.
class Proxy {
 public:
  struct Limits {
    std::chrono::milliseconds patience{120'000};  ///< how long a request waits for a pod that is starting
    size_t most_waiting = 256;                    ///< how many connections may wait at one port
    std::chrono::milliseconds to_ask{60'000};     ///< how long a waiting connection may send nothing
    std::chrono::milliseconds idle{3'600'000};  ///< how long a connection without a request may carry no data
    /// replaces `idle` while other connections wait for a descriptor
    std::chrono::milliseconds spare{10'000};
  };

  Proxy(EventLoop& loop, PodFolder folder) : Proxy(loop, std::move(folder), Limits()) {}
  Proxy(EventLoop& loop, PodFolder folder, Limits limits);

 private:
  struct Listener {
    Fd socket;
    ServiceRoute route;
    size_t turn = 0;
    std::shared_ptr<Traffic> traffic = std::make_shared<Traffic>();
  };
  struct Waiting {
    int port;
    std::unique_ptr<WaitingClient> client;
  };

  void read_routes();
  void listen(int port);
  void accept_at(int port);
  void welcome(int port);
  void relay(int port, Fd client);
  void make_room(int port);
  void end_idle();
  bool end_longest_idle(std::chrono::milliseconds least, bool spares_requests);
  std::vector<RouteTarget> next_targets(int port);
  void let_wait(int port, Fd client);
  void on_silent(uint64_t number);
  void on_asked(uint64_t number);
  void on_waited(uint64_t number);
  void serve_waiting();
  void report_demand();
  void end_if_unused();
  void watch_folder();

  EventLoop& loop_;
  PodFolder folder_;
  Limits limits_;
  FolderWatch watch_;
  std::map<int, Listener> listeners_;  ///< by port
  std::unordered_map<uint64_t, std::unique_ptr<Relay>> relays_;
  std::map<uint64_t, Waiting> waiting_;  ///< waiting clients in the order of their arrival
  uint64_t next_number_ = 0;
  StatusFile demand_file_;
  std::optional<Demand> reported_;
  EventLoop::Timer demand_timer_{};
};

}  // namespace kml::local
