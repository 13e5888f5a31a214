#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kml/base/files.h"
#include "local/loop/event_loop.h"

namespace kml::local {

/// A connection to a port on this machine, whose network the pods use.
class PortTarget {
 public:
  struct Callbacks {
    std::function<void(std::string_view)> received;
    /// Whether more bytes can be received now. If not, call pump() later.
    std::function<bool()> has_room;
    std::function<void()> written;  ///< called when some of the held bytes were written to the target
    /// Called once, when no more bytes will come. `problem` says why the port cannot be reached; empty if it
    /// could be reached.
    std::function<void(const std::string& problem)> ended;
  };

  PortTarget(EventLoop& loop, int port, Callbacks callbacks);
  ~PortTarget();
  PortTarget(const PortTarget&) = delete;
  PortTarget& operator=(const PortTarget&) = delete;

  void write(std::string_view bytes);
  /// Closes the target's input after the bytes written so far.
  void end_input();
  void pump();
  size_t held() const { return to_target_.size(); }
  bool has_ended() const { return ended_; }

 private:
  void connect();
  void on_events();
  void flush();
  void end(const std::string& problem);

  EventLoop& loop_;
  int port_;
  Callbacks callbacks_;
  Fd socket_;
  std::string to_target_;
  int tried_ = 0;  ///< how many addresses were tried
  bool connected_ = false, input_ends_ = false, ended_ = false, pump_is_due_ = false;
  EventLoop::Timer pump_timer_{};
};

}  // namespace kml::local
