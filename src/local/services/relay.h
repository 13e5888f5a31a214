#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kml/base/files.h"
#include "local/loop/event_loop.h"
#include "local/services/routes.h"

namespace kml::local {

/// The traffic through the relays of a port.
struct Traffic {
  EventLoop::SteadyTime last{};  ///< when the last bytes arrived, or the end of a connection
  int unanswered = 0;  ///< connections whose last bytes came from the client, which awaits an answer
  std::function<void()> used = nullptr;  ///< if set: called once, at the next bytes
};

/// One client's connection: finds a target that accepts it, then passes bytes on in both directions until
/// both have ended. While no target accepts, it waits up to ten seconds, then closes the client's connection.
class Relay {
 public:
  /// `targets` returns the targets to try, in order, each time it tries again; `ended` is called once, not
  /// from inside the constructor. `traffic` counts this connection too.
  Relay(EventLoop& loop, Fd client, std::shared_ptr<Traffic> traffic,
        std::function<std::vector<RouteTarget>()> targets, std::function<void()> ended);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// The time when it started, or last received bytes or an end.
  EventLoop::SteadyTime last() const { return last_; }

 private:
  struct Direction {
    std::string held;        ///< read, but not yet written
    bool is_ending = false;  ///< an event has reported that no data will follow after what can be read
    bool no_more = false, done = false;
  };

  void try_again();
  void try_next();
  void on_target(uint32_t events);
  void pass_on(bool to_target, bool to_client);
  bool pump(const Fd& from, const Fd& to, Direction& direction);
  void note_bytes(bool is_from_client);
  void end();

  EventLoop& loop_;
  Fd client_, target_;
  std::shared_ptr<Traffic> traffic_;
  std::function<std::vector<RouteTarget>()> targets_;
  std::function<void()> ended_;
  std::vector<RouteTarget> untried_;
  EventLoop::Timer timer_{};
  EventLoop::SteadyTime deadline_, last_;
  bool connected_ = false, is_unanswered_ = false;
  Direction to_target_, to_client_;
};

}  // namespace kml::local
