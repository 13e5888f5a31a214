#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "job/queue/queue.h"

namespace kml::job {

/// The range in which a waiting entry may start: the middle 90% of the simulated starts. tests/soak/estimate
/// measures how many starts on a real scheduler fall into the range.
struct StartRange {
  Time earliest, latest;
};

/// By the entry's id_of(). Entries without an estimate are missing.
using StartEstimates = std::unordered_map<std::string, StartRange>;

/// Simulates the scheduler many times with known durations of running and waiting jobs: time limits, run
/// times of similar ended jobs, and estimates from the trainings themselves. Gives no estimate for an entry
/// that has none of these, fits no node, waits for something other than resources, or waits in a Kueue queue,
/// because Kueue's quotas are unknown here. New jobs arrive in the simulation at the recent rate with the
/// recent priorities. Ignores nodes that an autoscaler may add, and preemption of running jobs.
StartEstimates estimate_starts(JobQueue& queue, std::span<const Json> nodes, Time now);

}  // namespace kml::job
