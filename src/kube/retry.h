#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "kml/http/transport.h"
#include "kml/kube/client.h"

namespace kml::kube {

/// Uniform in [0, 1).
using Random = std::function<double()>;

/// The delays of client-go's reflector: 0.8 s, doubled up to 30 s, each with up to as much again at random;
/// from the start again where the last one was asked for more than two minutes ago.
class Backoff {
 public:
  explicit Backoff(Random random) : random_(std::move(random)) {}

  std::chrono::milliseconds next(http::SteadyTime now);
  /// All is well: from the start again.
  void reset() { delay_ = {}; }

 private:
  Random random_;
  std::chrono::milliseconds delay_{};
  http::SteadyTime last_{};
};

/// From the machine's generator; one a process.
double random_fraction();

/// What a client waits for a server that asks it to come back later, or whose connection breaks. Its owner is
/// told once that it waits, before three seconds have gone by in vain; after two minutes it waits no more.
class Waits {
 public:
  Waits(Pause pause, Told told) : pause_(std::move(pause)), told_(std::move(told)) {}

  /// False, without a wait, where that would be too long.
  bool wait(std::chrono::seconds delay, const std::string& why);
  /// The server does what it is asked: from the start again.
  void served();

 private:
  Pause pause_;
  Told told_;
  std::chrono::seconds waited_{};
  bool is_told_ = false;
};

/// Sends the request, and again, as client-go does (rest/with_retry.go): at most 10 times more, after 429 or
/// 5xx where the server names the seconds in Retry-After, and where the connection broke: for GET as it does,
/// and for what else changes nothing the second time, dry runs and merge patches.
http::Response send_with_retry(http::Transport& transport, const http::Request& request, Waits& waits);

/// Sleeps. Throws Error (interrupted) soon after SIGINT or SIGTERM where they are blocked, as they are in
/// commands that take them by signalfd: a server may ask to wait for minutes.
void sleep_or_interrupt(std::chrono::milliseconds delay);

/// What a server asks to wait: no server makes a command wait longer than a minute at a time. Empty for none,
/// and less.
std::optional<std::chrono::seconds> limited_pause(int64_t seconds);

/// The whole seconds of a Retry-After header, limited; empty for a date, or without one.
std::optional<std::chrono::seconds> retry_after(const http::Response& response);

}  // namespace kml::kube
