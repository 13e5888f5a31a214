#pragma once

#include <string>
#include <vector>

#include "kml/job/records/records.h"

namespace kml::tracking {

/// The submits with artifacts on this machine, which are recorded as runs of one step, in the form of other
/// submits. Their ids are "run/NAME"; the only object is the job's name. Runs that cannot be read are left
/// out.
std::vector<job::Submission> artifact_submits();

}  // namespace kml::tracking
