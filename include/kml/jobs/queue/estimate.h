#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "kml/jobs/queue/queue.h"

namespace kml::jobs {

/// When a waiting entry may start: the middle 90% of the simulated starts. tests/soak/estimate measures how
/// many starts on a real scheduler fall within the range.
struct StartRange {
  Time earliest, latest;
};

/// By id_of() of the entry. Has no entry if no estimate is possible.
using StartEstimates = std::unordered_map<std::string, StartRange>;

/// Simulates the scheduler many times, with known durations of running and waiting jobs: time limits, run
/// times of similar ended jobs, and the trainings' own reports. Gives no estimate without any of these, for
/// entries that fit no node, that wait for something other than room, or that wait in Kueue's queues, whose
/// quotas it does not know. Simulated new jobs arrive at the recent rate with the recent priorities. Ignores
/// nodes that an autoscaler may add, and preemption of running jobs.
StartEstimates estimate_starts(JobQueue& queue, std::span<const Json> nodes, Time now);

}  // namespace kml::jobs
