#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/views/disruption.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// How a job's last run ended according to its Workload. Empty unless Kueue has evicted the job, and the job
/// either waits again or was evicted only once. If the reason was not a preemption, also empty if the start
/// of the run is unknown. The result names no pod, because Kueue evicts all pods of a job. The preemptor is
/// looked up by its uid among the Workloads in `preemptors`.
std::optional<Disruption> eviction_of(const Json& workload, const std::vector<Json>& preemptors);

/// Like eviction_of(), but reads the job's Workload if the job has a queue. Empty if the user may not read
/// it.
std::optional<Disruption> read_eviction(kube::Client& client, const Json& job);

/// A time in which a job had no pods.
using IdleTime = std::pair<Time, Time>;

/// The times in which the Workload was not admitted, as far as it still reports them. `created` is the job's
/// creation. Empty if the Workload was evicted, but does not show when.
std::vector<IdleTime> idle_times(const Json& workload, Time created, Time now);

/// How long the job ran until Kueue last stopped it, in all admissions; 0 if unknown.
std::chrono::seconds time_admitted(kube::Client& client, const Json& job);

}  // namespace kml::job
