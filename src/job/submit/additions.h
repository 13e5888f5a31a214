#pragma once

#include <string>
#include <vector>

#include "kml/job/submit/submit.h"

namespace kml::job {

/// Notes on the objects that use_gangs() and use_gpu_claims() would add to the plan on a cluster that
/// supports them. A plan that contacts no server does not show these objects.
std::vector<std::string> notes_on_additions(const SubmitPlan& plan);

}  // namespace kml::job
