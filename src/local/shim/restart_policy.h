#pragma once

#include <optional>
#include <string>

#include "kml/base/clock.h"

namespace kml::local {

/// Whether and when a container's program runs again after it has ended: the first time at once, then after
/// longer and longer delays if it keeps ending early (pkg/kubelet/kubelet.go, MaxCrashLoopBackOff).
class RestartPolicy {
 public:
  /// `policy` is Always, OnFailure or Never. `first` is the delay before the second restart.
  RestartPolicy(std::string policy, nanoseconds first) : policy_(std::move(policy)), first_(first) {}

  /// The delay after a run of this length; empty if the program must not run again.
  std::optional<nanoseconds> delay_after(int exit_code, nanoseconds length);

 private:
  std::string policy_;
  nanoseconds first_, next_{0};
};

}  // namespace kml::local
