#pragma once

#include <optional>

#include "kml/base/json.h"

namespace kml::job {

/// How many failures of pods the job survives, with the default of its kind. `failed` is the pod that failed
/// last, or nullptr. Empty if there is no limit, or if it is unknown: a TrainJob's is in its runtime, and
/// kinds that are only described have different rules.
std::optional<long long> retries_of(const Json& job, const Json* failed);

}  // namespace kml::job
