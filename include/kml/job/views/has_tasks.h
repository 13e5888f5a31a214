#pragma once

#include "kml/base/json.h"

namespace kml::job {

/// Whether the job's pods are tasks that fail alone, as in an array. If the first failed index ends the job,
/// they are the ranks of one program.
bool has_tasks(const Json& job);

}  // namespace kml::job
