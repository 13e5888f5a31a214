#include "cli/retry_notes.h"

#include <chrono>
#include <memory>
#include <optional>

#include "kml/local/daemon.h"

namespace kml::cli {

std::function<void(const Error&)> retry_notes(Context& context) {
  return
      [&context, told = std::optional<std::chrono::steady_clock::time_point>()](const Error& error) mutable {
        if (context.place().is_local) {
          bool started = false;
          local::ensure_running(started);
          if (started) context.note("the embedded server had stopped; started it again");
          return;
        }
        const auto now = std::chrono::steady_clock::now();
        if (told && now - *told < std::chrono::minutes(1)) return;
        told = now;
        context.note(message_and_why(error) + "; retrying");
      };
}

kube::OnRetry notes_on_ended_server(Context& context) {
  using Clock = std::chrono::steady_clock;
  return [&context, told = std::make_shared<std::optional<Clock::time_point>>()](const Error& error,
                                                                                 std::chrono::milliseconds) {
    const auto now = Clock::now();
    if (error.reason != local::kServerDown || (*told && now - **told < std::chrono::minutes(1))) return;
    *told = now;
    context.note(error.message + "; waiting for it");
  };
}

}  // namespace kml::cli
