#pragma once

#include <optional>
#include <string>

#include "job/why/facts.h"
#include "kml/job/why/cause.h"

// Explains Kueue's message about a Workload that it has not admitted.

namespace kml::job {

/// The code for a Workload's QuotaReserved condition. In Kueue before 0.19, and by default in later versions,
/// the reason is only "Pending", "Inadmissible" or "Waiting", and the message has the details.
CauseCode queue_code_of(const std::string& reason, const std::string& message);

/// The cause if the queue does not exist, is stopped, or does not accept this job at all; empty for other
/// codes.
std::optional<Cause> closed_queue_cause(const Facts& facts, const Json& workload, CauseCode code,
                                        const std::string& message);

/// How much quota is missing, which jobs hold it, and which jobs to cancel if that makes this job the next to
/// start. Empty if Kueue has not reported missing quota.
std::optional<Cause> quota_cause(const Facts& facts, const Json& workload);

/// Workloads that wait in the same LocalQueue: how many Kueue tries before this one, and how many there are.
struct QueuePosition {
  size_t before = 0, all = 0;
};
QueuePosition position_in_queue(const Facts& facts, const Json& workload);

/// Whether the Workload is active, has no quota, and has not finished.
bool waits_for_quota(const Json& workload);
/// Whether Kueue may still admit the Workload, judging by Kueue's last message about it.
bool may_be_admitted(const Json& workload);

/// The ClusterQueue in which the Workload waits; empty if unknown.
std::string cluster_queue_of_workload(const Facts& facts, const Json& workload);

}  // namespace kml::job
