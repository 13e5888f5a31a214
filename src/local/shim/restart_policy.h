#pragma once

#include <optional>
#include <string>

#include "kml/base/clock.h"

namespace kml::local {

/// Whether and when a container's program runs again after its end: at once the first time, and ever later if
/// it keeps ending soon (pkg/kubelet/kubelet.go, MaxCrashLoopBackOff).
class RestartPolicy {
 public:
  /// `policy` is Always, OnFailure or Never; `first`, the delay before the second restart.
  RestartPolicy(std::string policy, nanoseconds first) : policy_(std::move(policy)), first_(first) {}

  /// The delay after a run of that length; empty if it was the last one.
  std::optional<nanoseconds> delay_after(int exit_code, nanoseconds length);

 private:
  std::string policy_;
  nanoseconds first_, next_{0};
};

}  // namespace kml::local
