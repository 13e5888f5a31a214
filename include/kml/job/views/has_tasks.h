#pragma once

#include "kml/base/json.h"

namespace kml::job {

/// Whether the job's pods are independent tasks, as in an array, so that one can fail while others continue.
/// If the first failed index ends a job that is not part of a sweep, its pods are instead the ranks of one
/// program.
bool has_tasks(const Json& job);

}  // namespace kml::job
