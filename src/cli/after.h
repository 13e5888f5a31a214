#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/jobs/submit/submit.h"

namespace kml::cli {

/// `--after JOB[:ok|any|failed]`: the embedded server starts the plan's jobs once those have ended so. A
/// cluster has nothing that waits, so this waits here before anything is sent. Throws Error if there is no
/// such job, or where it has ended, or ends, in another way.
void come_after(Context& context, jobs::SubmitPlan& plan, const std::vector<std::string>& after);

}  // namespace kml::cli
