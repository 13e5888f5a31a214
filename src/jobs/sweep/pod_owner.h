#pragma once

#include "kml/core/json.h"

namespace kml::jobs {

/// Whether a pod that names the job can be its own: the pods of an earlier job of that name outlive it by
/// their grace. Where another object stands between them, as with a JobSet, the older pod is of an older job.
bool may_own(const Json& job, const Json& pod);

}  // namespace kml::jobs
