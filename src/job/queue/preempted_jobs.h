#pragma once

#include <map>
#include <string>

#include "job/queue/queue.h"
#include "kml/job/records/records.h"
#include "kml/job/views/disruption.h"

namespace kml::job {

/// The last preemption of each waiting job in the namespace, by job name, from the run records and the
/// scheduler's events.
std::map<std::string, Disruption> preempted_jobs(kube::Client& client, const std::string& namespace_name,
                                                 const JobQueue& queue, const Submissions& records);

}  // namespace kml::job
