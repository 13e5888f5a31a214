#pragma once

#include <unordered_map>

#include "local/loop/event_loop.h"

namespace kml::local {

/// Ends the connections whose clients do not send a whole request in time: byte by byte they could hold them,
/// and with them the server's share of connections, for ever.
class RequestDeadlines {
 public:
  explicit RequestDeadlines(EventLoop& loop) : loop_(loop) {}
  ~RequestDeadlines();

  /// From now on the client has that long.
  void start(int socket, std::chrono::nanoseconds limit);
  /// The client has no time left.
  void end(int socket);
  /// A request is there, or the connection has ended.
  void stop(int socket);

 private:
  EventLoop& loop_;
  std::unordered_map<int, EventLoop::Timer> timers_;
};

}  // namespace kml::local
