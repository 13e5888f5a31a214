#pragma once

#include "kml/base/json.h"

namespace kml::job {

/// Whether the job's pods are independent tasks, as in an array, so that one can fail while others continue.
/// If the first failed index ends the job, its pods are instead the ranks of one program.
bool has_tasks(const Json& job);

}  // namespace kml::job
