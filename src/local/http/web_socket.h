#pragma once

#include <microhttpd.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "kml/local/http_message.h"
#include "kml/net/http/websocket.h"
#include "local/loop/event_loop.h"

namespace kml::local {

/// Connections that were upgraded to WebSocket. libmicrohttpd has opened these connections, and will close
/// them.
class WebSockets {
 public:
  explicit WebSockets(EventLoop& loop);
  ~WebSockets();

  /// The response to an upgrade request, with status 101 (RFC 6455, 4.2.2).
  MHD_Response* response(MHD_Connection* connection, const UpgradeHeaders& asked, const std::string& protocol,
                         std::unique_ptr<SocketSession> session);
  /// Call this when a connection has ended. If its 101 response was never sent, drops its session.
  void forget(MHD_Connection* connection) { promised_.erase(connection); }

  /// Called when libmicrohttpd must run, because its epoll descriptor does not report this.
  std::function<void()> on_progress;

  /// Ends all connections. Must be called before libmicrohttpd is stopped.
  void end_all();

 private:
  class Connection;
  static void upgraded(void* cls, MHD_Connection* connection, void* request, const char* extra,
                       size_t extra_size, MHD_socket socket, MHD_UpgradeResponseHandle* handle);

  EventLoop& loop_;
  std::unordered_map<MHD_Connection*, std::unique_ptr<SocketSession>> promised_;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
};

}  // namespace kml::local
