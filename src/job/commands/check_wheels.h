#pragma once

#include "cli/context.h"
#include "kml/job/submit/submit.h"

namespace kml::cli {

/// Says which packages of the plan's jobs are not available for the processors of the cluster's nodes. Throws
/// Error if that makes it certain that the jobs fail. Does nothing for jobs without packages.
void check_wheels(Context& context, const job::SubmitPlan& plan);

}  // namespace kml::cli
