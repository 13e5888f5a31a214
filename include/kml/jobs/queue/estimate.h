#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "kml/jobs/queue/queue.h"

namespace kml::jobs {

/// When something that waits may start: the middle nine tenths of the courses that were played through. How
/// many starts fall within it on a real scheduler, tests/soak/estimate says.
struct StartRange {
  Time earliest, latest;
};

/// By id_of() the entry, of those for which it can be told.
using StartEstimates = std::unordered_map<std::string, StartRange>;

/// Plays through what the scheduler will do, many times, with what is known of how long running and waiting
/// jobs take: time limits, how long jobs like them took that have ended, and what a training reports about
/// itself. Nothing if none of that is known, for what no node could take, what waits for something else
/// than room, and what waits in Kueue's queues, whose quotas it does not know. Jobs go on coming as they came
/// lately, with the priorities that they had. It knows of no node that an autoscaler may add, and lets no job
/// take the place of one that runs.
StartEstimates estimate_starts(JobQueue& queue, std::span<const Json> nodes, Time now);

}  // namespace kml::jobs
