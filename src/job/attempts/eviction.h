#pragma once

#include <optional>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/views/disruption.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// How a job's last run ended, according to its Workload, if Kueue has preempted the job and it waits again.
/// The preemptor is looked up by its uid among the Workloads in `preemptors`.
std::optional<Disruption> eviction_of(const Json& workload, const std::vector<Json>& preemptors);

/// Like eviction_of(), but reads the job's Workload if the job waits in a queue. Empty if the user may not
/// read it.
std::optional<Disruption> read_eviction(kube::Client& client, const Json& job);

}  // namespace kml::job
