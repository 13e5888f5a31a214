#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/files.h"
#include "local/loop/event_loop.h"
#include "local/services/open_requests.h"
#include "local/services/routes.h"

namespace kml::local {

/// The traffic of all relays of one port.
struct Traffic {
  EventLoop::SteadyTime last{};          ///< when a request was last in progress
  int in_use = 0;                        ///< connections with a request in progress
  std::function<void()> used = nullptr;  ///< if set, called once when the next request arrives
};

/// The connection of one client: finds a target that accepts it, then passes bytes on in both directions
/// until both have ended. If no target accepts it within ten seconds, closes the client's connection.
class Relay {
 public:
  /// `targets` is called for each attempt, and returns the targets to try, in order. `ended` is called once,
  /// but not from inside the constructor. `traffic` includes this connection.
  Relay(EventLoop& loop, Fd client, std::shared_ptr<Traffic> traffic,
        std::function<std::vector<RouteTarget>()> targets, std::function<void()> ended);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// When the relay last received bytes or the end of a side; at first, when the relay started.
  EventLoop::SteadyTime last() const { return last_; }
  bool is_in_use() const { return requests_.any(); }

 private:
  struct Direction {
    std::string held;  ///< bytes that were read, but not written yet
    /// whether an event has announced the end: no data will follow what can be read now
    bool is_ending = false;
    bool no_more = false, done = false;
  };

  void try_again();
  void try_next();
  void on_target(uint32_t events);
  void pass_on(bool to_target, bool to_client);
  bool pump(const Fd& from, const Fd& to, Direction& direction);
  void note_bytes(bool is_from_client, std::string_view bytes);
  void note_use(bool before, bool after);
  void end();

  EventLoop& loop_;
  Fd client_, target_;
  std::shared_ptr<Traffic> traffic_;
  std::function<std::vector<RouteTarget>()> targets_;
  std::function<void()> ended_;
  std::vector<RouteTarget> untried_;
  EventLoop::Timer timer_{};
  EventLoop::SteadyTime deadline_, last_;
  bool connected_ = false;
  OpenRequests requests_;
  Direction to_target_, to_client_;
};

}  // namespace kml::local
