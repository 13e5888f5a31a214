#pragma once

#include <string>

#include "cli/context.h"
#include "job/commands/command_plan.h"
#include "kml/pipeline/journal/record.h"
#include "pipeline/commands/run_session.h"

namespace kml::cli {

/// The plan of a run: its file and parameters, the jobs of its steps, and what they use at most. If `name` is
/// empty, the run gets a name that depends only on the rest of the plan.
job::PlanFile plan_of_run(Context& context, const PipelineHere& here, const pipeline::record::Run& record,
                          const std::string& name);

/// Implements `kml run --plan`. Throws Error if the run's name is in use, unless this plan has begun the run.
int write_run_plan(Context& context, job::PlanFile plan, const PlanFlags& flags);

/// The id of the plan that has begun the run; empty if no plan has begun it.
std::string plan_of_begun_run(const std::string& run);

/// Starts the run in the background, once. Throws usage Error if the run would no longer do what the plan
/// says.
int start_planned_run(Context& context, const job::PlanFile& planned, const job::PlanFile& now,
                      pipeline::record::Run record);

}  // namespace kml::cli
