#pragma once

#include <optional>

#include "jobs/why/facts.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// The Kueue Workload of a job, by owner; nullptr where it is not among the facts.
const Json* workload_of(const Facts& facts);

/// Why Kueue holds the job back; empty where it does not (any more).
std::optional<Cause> queue_cause(const Facts& facts);

}  // namespace kml::jobs
