#pragma once

#include <optional>
#include <span>

#include "kml/base/json.h"

namespace kml::job {

/// How many failures of pods the job survives, with the default of its kind. `failed` is the pod that failed
/// last, or nullptr. Empty if there is no limit, or if it is unknown: a TrainJob's is in its runtime, and
/// kinds that are only described have different rules.
std::optional<long long> retries_of(const Json& job, const Json* failed);

/// How many failures of a JobSet count against its limit: its restarts, and the failure of the attempt that
/// it has not replaced yet. A restart deletes the pods of the attempt before it. `failed` are failed pods.
long long failures_of_set(const Json& set, std::span<const Json* const> failed);

}  // namespace kml::job
