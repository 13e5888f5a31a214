#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kml/base/files.h"
#include "local/loop/event_loop.h"

namespace kml::local {

/// A client's connection to a port whose pods are scaled to zero. The client waits until a pod is ready and
/// accepts the connection, or until it gets an HTTP response with status 503.
class WaitingClient {
 public:
  struct Events {
    /// Called when the first bytes of a request have arrived. A connection without bytes, such as a port
    /// check, is not a request.
    std::function<void()> asked;
    /// Called once, when the client has hung up or got its response, but not from inside the constructor.
    std::function<void()> ended;
  };

  WaitingClient(EventLoop& loop, Fd client, Events events);
  ~WaitingClient();
  WaitingClient(const WaitingClient&) = delete;
  WaitingClient& operator=(const WaitingClient&) = delete;

  bool has_asked() const { return has_asked_; }
  bool is_refused() const { return is_refused_; }
  /// Returns the connection, for a relay that passes on what the client has sent.
  Fd release();
  /// Responds with 503 and this text. Ends once the client has closed its side, or after a moment.
  void refuse(std::string_view why);

 private:
  void on_event(uint32_t events);
  void end();

  EventLoop& loop_;
  Fd client_;
  Events events_;
  EventLoop::Timer timer_{};
  bool has_asked_ = false, is_refused_ = false;
};

}  // namespace kml::local
