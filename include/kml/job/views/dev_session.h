#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::job {

/// The $0 of the idle guard, the shell that runs in the pod of a `kml dev` session. $1 is its limit in
/// seconds.
inline constexpr const char* kIdleGuardName = "kml-dev";

/// A path for a shell in the session's container: the file that kml touches when bytes pass through a
/// forwarded port or ssh. The idle guard cannot see such bytes itself. The file is not in /tmp, because /tmp
/// may be read-only, and small images lack it.
inline constexpr const char* kActivityFile = "/dev/shm/kml-dev-$HOSTNAME";

/// The idle time after which the session's pod ends. Empty if the pod or pod template does not belong to a
/// session. Also recognizes sessions of other versions of kml.
std::optional<std::chrono::seconds> idle_limit_of_session(const Json& pod);

/// Whether `kml dev` has created the job.
bool is_session(const Json& job);

/// The command without a session's idle guard: the words that the user typed after "--", or "kml dev" if
/// there were none.
std::vector<std::string> without_idle_guard(const std::vector<std::string>& command);

/// How often the guard checks for activity.
constexpr std::chrono::seconds guard_step(std::chrono::seconds idle_limit) {
  return std::clamp(idle_limit / 20, std::chrono::seconds(1), std::chrono::seconds(60));
}

}  // namespace kml::job
