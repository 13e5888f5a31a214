#pragma once

#include <optional>
#include <string>

#include "job/why/facts.h"
#include "kml/job/why/cause.h"

// Kueue's message about a Workload that it has not admitted, explained by its queue.

namespace kml::job {

/// The code for a Workload's QuotaReserved condition. Before 0.19, and in later versions by default, its
/// reason is only "Pending", "Inadmissible" or "Waiting", and the message has more.
CauseCode queue_code_of(const std::string& reason, const std::string& message);

/// The queue does not exist, is stopped, or does not take this job at all; empty for other codes.
std::optional<Cause> closed_queue_cause(const Facts& facts, const Json& workload, CauseCode code,
                                        const std::string& message);

/// How much quota is short, who holds it, and which jobs to cancel if that lets this job start next; empty if
/// Kueue has not said that quota is short.
std::optional<Cause> quota_cause(const Facts& facts, const Json& workload);

/// The Workloads that wait in the same LocalQueue: how many Kueue tries before this one, and all.
struct QueuePosition {
  size_t before = 0, all = 0;
};
QueuePosition position_in_queue(const Facts& facts, const Json& workload);

/// The ClusterQueue in which the Workload waits; empty if that is not known.
std::string cluster_queue_of_workload(const Facts& facts, const Json& workload);

}  // namespace kml::job
