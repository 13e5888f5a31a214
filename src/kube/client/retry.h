#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "kml/kube/client/client.h"
#include "kml/net/http/transport.h"

namespace kml::kube {

/// Returns a uniform random number in [0, 1).
using Random = std::function<double()>;

/// The delays of client-go's reflector: 0.8 s, doubled each time up to 30 s, each plus a random part of up to
/// the same length. Starts over if the last delay was requested more than two minutes ago.
class Backoff {
 public:
  explicit Backoff(Random random) : random_(std::move(random)) {}

  std::chrono::milliseconds next(http::SteadyTime now);
  /// Starts over after a success.
  void reset() { delay_ = {}; }

 private:
  Random random_;
  std::chrono::milliseconds delay_{};
  http::SteadyTime last_{};
};

/// A random number from a generator that the whole process shares.
double random_fraction();

/// Limits how long a client waits for a server that asks to come back later, or whose connection breaks.
/// Tells the owner once, before the waits have taken three seconds in total. After two minutes it does not
/// wait again.
class Waits {
 public:
  Waits(Pause pause, Told told) : pause_(std::move(pause)), told_(std::move(told)) {}

  /// Returns false without waiting if the total would be too long.
  bool wait(std::chrono::seconds delay, const std::string& why);
  /// The server has handled a request, so the total starts over.
  void served();

 private:
  Pause pause_;
  Told told_;
  std::chrono::seconds waited_{};
  bool is_told_ = false;
};

/// Sends the request and repeats it as client-go does (rest/with_retry.go), up to 10 times: after 429, or 5xx
/// with seconds in Retry-After, and after a broken connection. After a broken connection, only GET is
/// repeated, as in client-go, and other requests for which a repetition changes nothing: dry runs, deletions,
/// replacements, merge and apply patches. A repeated deletion that finds nothing has succeeded. Beyond
/// client-go, these are also repeated for some seconds after 429, 500, 502, 503 and 504 without Retry-After.
http::Response send_with_retry(http::Transport& transport, const http::Request& request, Waits& waits);

/// Sleeps. Throws Error (interrupted) soon after SIGINT or SIGTERM if they are blocked, as in commands that
/// read them from a signalfd, because a server may ask to wait for minutes.
void sleep_or_interrupt(std::chrono::milliseconds delay);

/// The wait that a server asks for, limited to one minute. Empty if `seconds` is negative.
std::optional<std::chrono::seconds> limited_pause(int64_t seconds);

/// Whether the server asks for the request to be sent again later.
bool is_busy(const http::Response& response);

/// The whole seconds of a Retry-After header, limited; empty for a date, or without one.
std::optional<std::chrono::seconds> retry_after(const http::Response& response);

}  // namespace kml::kube
