#pragma once

#include <optional>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/views/disruption.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The end of a job's last run as its Workload reports it, if Kueue has preempted it and it waits again.
/// `preemptors` are Workloads among which the preemptor is looked up by its uid.
std::optional<Disruption> eviction_of(const Json& workload, const std::vector<Json>& preemptors);

/// The same; reads the job's Workload if the job waits in a queue. Empty if the user may not read it.
std::optional<Disruption> read_eviction(kube::Client& client, const Json& job);

}  // namespace kml::job
