#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/job/control/schedule.h"
#include "kml/pipeline/engine/cache.h"
#include "kml/pipeline/engine/run_state.h"
#include "pipeline/commands/run_session.h"

namespace kml::cli {

/// Warns if a start of the schedule will find cached results for all steps of its pipeline and so run none.
/// `values` are keyed_values() of a start.
void warn_of_cached_starts(Context& context, const PipelineHere& here, const pipeline::Renewal& renewal,
                           const Json& values, bool starts_once);

/// If a schedule started the run and it reused all of its results, prints a note about it, with a fix.
void note_nothing_ran(Context& context, const pipeline::RunState& run);

/// Sets `ran_nothing` for schedules whose last job is a run that reused all of its results.
void find_cached_runs(Context& context, std::vector<job::ScheduleView>& schedules);
/// Names those schedules, and says how to change that.
void note_cached_runs(Context& context, const std::vector<job::ScheduleView>& schedules);

}  // namespace kml::cli
