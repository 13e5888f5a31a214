#include "local/shim/restart_policy.h"

#include <algorithm>
#include <utility>

namespace kml::local {

namespace {

using namespace std::chrono_literals;

constexpr nanoseconds kLongestDelay = 300s;
// A container that has run for this long has recovered: its next failure is treated as its first.
constexpr nanoseconds kRecovered = 600s;

}  // namespace

std::optional<nanoseconds> RestartPolicy::delay_after(int exit_code, nanoseconds length) {
  if (policy_ != "Always" && (policy_ != "OnFailure" || exit_code == 0)) return {};
  if (length > kRecovered) next_ = 0s;
  const nanoseconds longer = next_ == 0s ? first_ : std::min(2 * next_, kLongestDelay);
  return std::exchange(next_, longer);
}

}  // namespace kml::local
