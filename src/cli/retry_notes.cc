#include "cli/retry_notes.h"

#include <chrono>
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

}  // namespace kml::cli
