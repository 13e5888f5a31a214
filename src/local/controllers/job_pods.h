#pragma once

#include <string_view>
#include <vector>

#include "local/store/store.h"

namespace kml::local {

/// The finalizer that keeps an ended pod until the Job controller has counted it.
inline constexpr std::string_view kTrackingFinalizer = "batch.kubernetes.io/job-tracking";

/// A new pod of a Job. `index` is -1 unless the Job is Indexed. `failed` are the failed pods of that index;
/// only a Job with a backoffLimitPerIndex needs them.
Json job_pod(const Json& job, int index, const std::vector<ObjectPtr>& failed, const Store& store);

/// -1 if the pod has none.
int completion_index(const Json& pod);

/// The number of pods with the same index that failed before this one.
int64_t index_failures(const Json& pod);

/// Whether a controller ended the pod. Its exit code then says nothing about the program.
bool was_ended_by_controller(const Json& pod);

}  // namespace kml::local
