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

/// Returns a random number, uniform in [0, 1).
using Random = std::function<double()>;

/// The same delays as in client-go's reflector: 0.8 s, doubled each time up to 30 s, plus a random part of up
/// to the same length. Starts over if the last delay was requested more than two minutes ago.
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

/// Limits how long a client waits for a server that asks the client to retry later, or whose connections
/// break. Tells the owner once, when the waits reach three seconds in total. Does not wait if the total would
/// exceed two minutes.
class Waits {
 public:
  Waits(Pause pause, Told told) : pause_(std::move(pause)), told_(std::move(told)) {}

  /// Returns false without waiting if the total would become too long.
  bool wait(std::chrono::milliseconds delay, const std::string& why);
  /// Tells the owner why the request waits, unless the owner already knows.
  void tell(const std::string& why);
  /// Call this if the server has handled a request: the total starts over, and the owner is told about the
  /// next waits.
  void served();

 private:
  Pause pause_;
  Told told_;
  std::chrono::milliseconds waited_{};
  bool is_told_ = false;
};

/// For how long a request is repeated if its webhook does not answer. The API server ends each attempt after
/// 34 seconds (requestTimeoutUpperBound in apiserver/pkg/endpoints/handlers/rest.go), so the Error comes
/// within 94 seconds.
inline constexpr std::chrono::seconds kWebhookPatience{60};

/// Sends the request. Like client-go (rest/with_retry.go), repeats it up to 10 times: any request after 429
/// or 5xx if the response has seconds in Retry-After, and a request that is safe to repeat after a broken
/// connection. Safe requests are not only GET, as in client-go, but also access reviews, dry runs and
/// deletions, and replacements, merge patches and apply patches that name no resourceVersion.
///
/// Unlike client-go, repeats safe requests for some seconds after 429, 500, 502, 503 and 504 without
/// Retry-After. A repeated deletion that finds no object has succeeded.
///
/// If the server could not call a webhook, repeats any request for kWebhookPatience, because the server has
/// changed nothing. Then throws Error (kWebhookFailed) without a message.
http::Response send_with_retry(http::Transport& transport, const http::Request& request, Waits& waits);

/// Sleeps. If SIGINT and SIGTERM are blocked, as in commands that read them from a signalfd, throws Error
/// (interrupted) soon after one arrives, because a server may ask kml to wait for minutes.
void sleep_or_interrupt(std::chrono::milliseconds delay);

/// The pause that a server asks for, but at most one minute. Empty if `seconds` is negative.
std::optional<std::chrono::seconds> limited_pause(int64_t seconds);

/// Whether the status says that the request may succeed later: 429 or 5xx.
bool is_busy(const http::Response& response);

/// The seconds in a Retry-After header, limited; empty if it is missing or not a number of whole seconds.
std::optional<std::chrono::seconds> retry_after(const http::Response& response);

}  // namespace kml::kube
