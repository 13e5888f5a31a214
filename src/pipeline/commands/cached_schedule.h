#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/job/control/schedule.h"
#include "kml/pipeline/engine/cache.h"
#include "kml/pipeline/engine/run_state.h"
#include "pipeline/commands/run_session.h"

namespace kml::cli {

/// Warns if a start of the schedule could find cached results for all steps of its pipeline, and so run none
/// of them. `values` are the keyed_values() of a start.
void warn_of_cached_starts(Context& context, const PipelineHere& here, const pipeline::Renewal& renewal,
                           const Json& values, bool starts_once);

/// If a schedule has started the run, and the run reused all of its results, prints a note that says so, with
/// a fix.
void note_nothing_ran(Context& context, const pipeline::RunState& run);

/// Sets `ran_nothing` for schedules whose last job was a run that reused all of its results.
void find_cached_runs(Context& context, std::vector<job::ScheduleView>& schedules);
/// Prints which schedules ran nothing, and how to change that.
void note_cached_runs(Context& context, const std::vector<job::ScheduleView>& schedules);

}  // namespace kml::cli
