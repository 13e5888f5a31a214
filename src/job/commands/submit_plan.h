#pragma once

#include <string>

#include "cli/context.h"
#include "job/commands/command_plan.h"
#include "job/commands/submit_request.h"
#include "kml/job/submit/plan_file.h"

namespace kml::cli {

/// Implements `kml submit --plan`: plans the submit, makes all checks, and writes the file ("-" is standard
/// output). Creates nothing. Throws Error if the job would be rejected or could not run.
int write_plan(Context& context, const SubmitFlags& flags, const PlanFlags& plan);

/// Plans the submit of the file again, with the plan's id as its key. Throws usage Error if the command would
/// now do something else.
job::SubmitPlan plan_again(Context& context, const job::PlanFile& file);

}  // namespace kml::cli
