#pragma once

#include <map>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/jobs/find.h"
#include "kml/jobs/job_view.h"

namespace kml::jobs {

/// Values of priority classes by name; "" is the cluster's default.
using Priorities = std::map<std::string, long long>;
Priorities list_priorities(kube::Client& client);

struct QueueEntry {
  JobView job;
  int position = 0;  ///< from 1 among those that wait; 0 for one that runs
  long long priority = 0;
  Time waiting_since = {};  ///< when its oldest waiting pod was made: a preempted job's new pod queues behind
                            ///< older ones
};

/// The jobs that run, then those that wait in the order in which a scheduler tries them (priority, then how
/// long they wait), then the suspended ones. Ended jobs are left out.
std::vector<QueueEntry> queue_of(const std::vector<Json>& jobs, const PodsByJob& pods,
                                 const Priorities& priorities);

}  // namespace kml::jobs
