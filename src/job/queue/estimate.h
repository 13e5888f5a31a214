#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "job/queue/queue.h"

namespace kml::job {

/// When a waiting entry will probably start: the range of 50 simulated start times, without the two earliest
/// and the two latest. tests/soak/estimate measures how many starts on a real scheduler are in this range.
struct StartRange {
  Time earliest, latest;
};

/// The key is the id_of() of an entry. Entries without an estimate are left out.
using StartEstimates = std::unordered_map<std::string, StartRange>;

/// Simulates the scheduler many times. Durations of running and waiting jobs come from time limits, the run
/// times of similar ended jobs, and the trainings' own estimates. New jobs arrive at the recent rate and with
/// the recent priorities; they are assumed to preempt nothing. Ignores nodes that an autoscaler may add.
///
/// There are no estimates while no durations are known, or while a waiting job may preempt running ones. An
/// entry gets no estimate if it fits on no node, does not start in three or more of the simulations, waits
/// for anything other than resources, is in a Kueue queue (whose quotas are unknown here), has a lower
/// priority than a job that is being preempted, or is far back in a long queue.
StartEstimates estimate_starts(JobQueue& queue, std::span<const Json> nodes, Time now);

}  // namespace kml::job
