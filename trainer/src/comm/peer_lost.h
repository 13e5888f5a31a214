#pragma once

#include "base/error.h"

namespace trainer {

/// Failures after which a new start of all ranks may succeed.
struct PeerLost : Error {
  explicit PeerLost(const std::string& why)
      : Error("lost another rank", why, "start all ranks again: the run resumes from its last checkpoint",
              kStartAgain) {}
};

struct MeetingFailed : Error {
  explicit MeetingFailed(const std::string& why)
      : Error("the ranks did not meet", why, "see that all pods run; --meeting-timeout gives them longer",
              kStartAgain) {}
};

/// SIGTERM or SIGINT before the ranks have met.
struct StoppedEarly : Error {
  explicit StoppedEarly(int signal)
      : Error("stopped before the ranks had met", "a signal asked for it", "", 128 + signal) {}
};

}  // namespace trainer
