#pragma once

#include "base/error.h"

namespace trainer {

/// Failures after which a new start of all ranks may succeed.
struct PeerLost : Error {
  explicit PeerLost(const std::string& why)
      : Error("lost another rank", why,
              "start all ranks again: with --checkpoint-dir, the run resumes from its last checkpoint",
              kStartAgain) {}
};

struct MeetingFailed : Error {
  explicit MeetingFailed(const std::string& why)
      : Error("the ranks could not connect to each other", why,
              "check that all pods are running; --meeting-timeout sets how long ranks wait", kStartAgain) {}
};

/// SIGTERM or SIGINT arrived before the ranks had met.
struct StoppedEarly : Error {
  explicit StoppedEarly(int signal)
      : Error("stopped before the ranks were connected", "a signal was received", "", 128 + signal) {}
};

}  // namespace trainer
