#pragma once

#include <optional>

#include "jobs/why/facts.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// Why a pod does not run, or how it ended badly; empty where it runs or has ended well. Without `facts`
/// about more than the pod it is told by the pod alone.
std::optional<Cause> pod_cause(const Facts& facts, const Json& pod);

/// That something stopped the pod (its DisruptionTarget condition), and who, where that is known; else empty.
std::optional<Cause> disruption_cause(const Facts& facts, const Json& pod);

/// The same for a pod that is gone: the scheduler's Preempted event outlives it for a while.
std::optional<Cause> gone_pod_cause(const Facts& facts);

/// How many pods were made for the job, by the events about it that are left.
long long pods_made(const Facts& facts);

}  // namespace kml::jobs
