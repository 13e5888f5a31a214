#pragma once

#include <string_view>
#include <vector>

#include "local/store/store.h"

namespace kml::local {

/// The finalizer that keeps an ended pod until the Job controller has counted the pod.
inline constexpr std::string_view kTrackingFinalizer = "batch.kubernetes.io/job-tracking";

/// A new pod for a Job. `index` is -1 unless the Job is Indexed. `failed` are the failed pods with that
/// index; only Jobs with a backoffLimitPerIndex need them.
Json job_pod(const Json& job, int index, const std::vector<ObjectPtr>& failed, const Store& store);

/// The pod's completion index; -1 if it has none.
int completion_index(const Json& pod);

/// How many earlier failures of the same index count towards backoffLimitPerIndex.
int64_t index_failures(const Json& pod);

/// Whether a controller ended the pod and recorded why. In that case, the exit code is not the program's own.
bool was_ended_by_controller(const Json& pod);

}  // namespace kml::local
