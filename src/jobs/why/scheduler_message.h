#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jobs/why/room.h"

namespace kml::jobs {

/// What the scheduler says of a pod that it found no node for, taken apart. Its text is no API: what is not
/// known stays in `text`.
struct SchedulerMessage {
  /// In the order in which they matter to who waits.
  enum class Kind { resource, taint, cordoned, not_ready, port, affinity, volume, other, labels };
  struct Reason {
    int nodes = 0;  ///< 0 where it holds for the pod itself
    Kind kind = Kind::other;
    std::string detail;  ///< resource, or taint as "dedicated: team"; may be empty
    std::string text;    ///< "node(s) had untolerated taint {dedicated: team}"
  };
  std::vector<Reason> reasons;
  bool preemption_cannot_help = false;
};

/// Of "0/4 nodes are available: 1 node(s) had untolerated taint {dedicated: team}, 3 Insufficient
/// nvidia.com/gpu. preemption: 0/4 nodes are available: …". Reference: pkg/scheduler/framework/types.go
/// (FitError.Error) and the plugins' Err… constants.
SchedulerMessage parse_scheduler_message(std::string_view message);

}  // namespace kml::jobs
