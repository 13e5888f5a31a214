#pragma once

#include <string>
#include <vector>

#include "kml/job/records/records.h"

namespace kml::tracking {

/// The submits with artifacts on this machine. They are recorded as runs of one step, and get the form of
/// other submits here: the id is "run/NAME", and the only object is a Job with a name and a namespace. Leaves
/// out runs that cannot be read.
std::vector<job::Submission> artifact_submits();

}  // namespace kml::tracking
