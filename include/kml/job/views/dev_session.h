#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::job {

/// The $0 of the idle guard, the shell that is the program of a `kml dev` session's pod. $1 is its limit in
/// seconds.
inline constexpr const char* kIdleGuardName = "kml-dev";

/// For a shell in the session's container: the file that kml touches when bytes pass through a forwarded port
/// or ssh, which the pod's own files do not show. Not in /tmp, which small images lack, and which may be
/// read-only.
inline constexpr const char* kActivityFile = "/dev/shm/kml-dev-$HOSTNAME";

/// The idle time after which the session's pod ends; empty if the pod or pod template is not a session's, of
/// this or another version of kml.
std::optional<std::chrono::seconds> idle_limit_of_session(const Json& pod);

/// Whether `kml dev` made the job.
bool is_session(const Json& job);

/// The command without the idle guard of a session: the words that the user typed after "--", or "kml dev" if
/// there were none.
std::vector<std::string> without_idle_guard(const std::vector<std::string>& command);

/// How often the guard checks for activity.
constexpr std::chrono::seconds guard_step(std::chrono::seconds idle_limit) {
  return std::clamp(idle_limit / 20, std::chrono::seconds(1), std::chrono::seconds(60));
}

}  // namespace kml::job
