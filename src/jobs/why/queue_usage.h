#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/why/facts.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// Who has how much of a resource of a flavor of this ClusterQueue, by the admitted workloads among the
/// facts; who has most first.
std::vector<Holder> holders_in_queue(const Facts& facts, const std::string& cluster_queue,
                                     const std::string& flavor, const std::string& resource);

/// A flavor's nominal quota of a resource, in thousandths, of a ClusterQueue object.
int64_t nominal_quota(const Json& cluster_queue, const std::string& flavor, const std::string& resource);

/// The job that a Workload is of, with its priority.
Holder holder_of_workload(const Json& workload);

/// The workload of that UID, or of the job of that UID; nullptr where it is not among the facts.
const Json* workload_with_uid(const Facts& facts, const std::string& uid);

}  // namespace kml::jobs
