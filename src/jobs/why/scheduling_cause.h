#pragma once

#include "jobs/why/facts.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// Why a pod of the job has no node. With nodes and pods it is worked out from them, and told in numbers and
/// names; without, it is what the scheduler's message says.
Cause scheduling_cause(const Facts& facts, const Json& pod);

/// From the scheduler's message alone.
Cause cause_of_scheduler_message(const Json& pod, const std::string& message);

}  // namespace kml::jobs
