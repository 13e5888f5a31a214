#pragma once

#include <string_view>
#include <vector>

#include "local/store/store.h"

namespace kml::local {

/// Keeps an ended pod until the Job controller has counted it.
inline constexpr std::string_view kTrackingFinalizer = "batch.kubernetes.io/job-tracking";

/// A new pod of a Job; `index` is -1 where the Job is not Indexed. `others` are the Job's pods so far,
/// needed where it has a backoffLimitPerIndex.
Json job_pod(const Json& job, int index, const std::vector<ObjectPtr>& others, const Store& store);

/// -1 where the pod has none.
int completion_index(const Json& pod);

/// How many pods of its index had failed before this one.
int64_t index_failures(const Json& pod);

/// Its controller ended it, so that its end says nothing about the program.
bool was_ended_by_controller(const Json& pod);

}  // namespace kml::local
