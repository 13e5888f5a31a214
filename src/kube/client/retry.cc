#include "kube/client/retry.h"

#include <algorithm>
#include <charconv>
#include <random>
#include <thread>

#include "kml/base/signals.h"
#include "kml/kube/objects/status.h"

namespace kml::kube {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirst{800};
constexpr milliseconds kLongestDelay{30'000};
constexpr std::chrono::minutes kForgotten{2};

}  // namespace

milliseconds Backoff::next(http::SteadyTime now) {
  delay_ = delay_.count() == 0 || now - last_ > kForgotten ? kFirst : std::min(delay_ * 2, kLongestDelay);
  last_ = now;
  return delay_ + std::chrono::duration_cast<milliseconds>(delay_ * random_());
}

double random_fraction() {
  static std::mt19937 generator{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(generator);
}

namespace {

constexpr int kMostRetries = 10;
constexpr std::chrono::seconds kLongestPause{60};
constexpr std::chrono::seconds kLongestWaits{120};  ///< the maximum total of a client's consecutive waits
constexpr std::chrono::seconds kSilentWaits{3};
constexpr std::chrono::seconds kAfterCut{1};
constexpr int kMostUnasked = 5;  ///< how often a request is repeated if the server sends no Retry-After
constexpr std::chrono::seconds kAfterBusy{1};

/// Whether the request contains the complete result, as in a PUT, a merge patch (RFC 7396) or an apply patch.
bool describes_result(const http::Request& request) {
  if (request.method == "PUT") return true;
  return std::ranges::any_of(request.headers, [](const auto& header) {
    return header.first == "Content-Type" && (header.second == "application/merge-patch+json" ||
                                              header.second == "application/apply-patch+yaml");
  });
}

/// Whether sending the request twice has the same effect as sending it once. Access reviews are POST
/// requests, but store nothing. A request that contains the complete result can be repeated, unless it names
/// the version to change: the second request would then be rejected.
bool is_idempotent(const http::Request& request) {
  if (request.method == "GET" || request.method == "DELETE" ||
      request.path.find("dryRun=All") != std::string::npos ||
      request.path.starts_with("/apis/authorization.k8s.io/"))
    return true;
  return describes_result(request) && request.body.find("\"resourceVersion\"") == std::string::npos;
}

/// The response to a deletion if an earlier attempt, whose response was lost, has already deleted the object.
http::Response deleted_before() {
  return {.status = 200, .headers = {}, .body = R"({"kind":"Status","status":"Success"})"};
}

bool may_repeat(const http::Request& request, const Error& error) {
  return error.reason == http::kConnectionBroke && is_idempotent(request);
}

}  // namespace

std::optional<std::chrono::seconds> limited_pause(int64_t seconds) {
  if (seconds < 0) return {};
  return std::min(std::chrono::seconds(seconds), kLongestPause);
}

bool is_busy(const http::Response& response) {
  return response.status == 429 || response.status >= 500;
}

std::optional<std::chrono::seconds> retry_after(const http::Response& response) {
  const std::string text = response.header("retry-after");
  int seconds = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (fault != std::errc() || end != text.data() + text.size()) return {};
  return limited_pause(seconds);
}

void sleep_or_interrupt(std::chrono::milliseconds delay) {
  constexpr std::chrono::milliseconds kStep{100};
  for (; delay.count() > 0; delay -= kStep) {
    std::this_thread::sleep_for(std::min(delay, kStep));
    throw_if_interrupted();
  }
}

bool Waits::wait(milliseconds delay, const std::string& why) {
  if (waited_ + delay > kLongestWaits) return false;
  waited_ += delay;
  if (waited_ >= kSilentWaits) tell(why + "; retrying for up to two minutes");
  pause_(delay);
  return true;
}

void Waits::tell(const std::string& why) {
  if (told_ && !std::exchange(is_told_, true)) told_(why);
}

void Waits::served() {
  waited_ = {};
  is_told_ = false;
}

namespace {

/// Repeats one request whose webhook does not answer.
class WebhookRetries {
 public:
  WebhookRetries(http::Transport& transport, Waits& waits)
      : transport_(transport), waits_(waits), begun_(transport.now()) {}

  /// If the response reports such a webhook, pauses and returns true; otherwise, returns false. Throws Error
  /// if the request has been repeated for long enough.
  bool wait_after(const http::Response& response) {
    if (response.status < 500) return false;
    Error error = api::error_from_response("", response.status, response.body);
    if (error.reason != api::kWebhookFailed) return false;
    ++tries_;
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(transport_.now() - begun_);
    if (passed >= kSilentWaits) waits_.tell(error.why + "; retrying for up to a minute");
    if (passed < kWebhookPatience && waits_.wait(pause_, error.why)) {
      pause_ = std::min(pause_ * 2, kLongestWebhookPause);
      return true;
    }
    error.why += "; tried " + std::to_string(tries_) + " times in " + std::to_string(passed.count()) + " s";
    throw error;
  }

 private:
  static constexpr milliseconds kLongestWebhookPause{250};

  http::Transport& transport_;
  Waits& waits_;
  http::SteadyTime begun_;
  milliseconds pause_{100};
  int tries_ = 0;
};

}  // namespace

http::Response send_with_retry(http::Transport& transport, const http::Request& request, Waits& waits) {
  std::string before;  ///< why the request is sent again
  WebhookRetries webhook(transport, waits);
  for (int retries = 0;; ++retries) {
    try {
      http::Response response = transport.send(request);
      if (webhook.wait_after(response)) {
        --retries;
        continue;
      }
      const bool busy = is_busy(response);
      auto after = busy ? retry_after(response) : std::nullopt;
      if (!after && api::is_passing(response.status) && retries < kMostUnasked && is_idempotent(request))
        after = kAfterBusy;
      if (!busy) waits.served();
      if (response.status == 404 && request.method == "DELETE" && retries > 0) return deleted_before();
      before = "the server returned " + std::to_string(response.status);
      if (!after || retries == kMostRetries || !waits.wait(*after, before)) return response;
    } catch (Error& error) {
      const std::string cause = std::exchange(before, error.message);
      if (may_repeat(request, error) && retries < kMostRetries && waits.wait(kAfterCut, before)) continue;
      if (!cause.empty() && cause != error.message) error.why += "; before that: " + cause;
      throw;
    }
  }
}

}  // namespace kml::kube
