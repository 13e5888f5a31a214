#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "kml/pipeline/engine/run_state.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/tracking/runs/metric_courses.h"
#include "kml/tracking/runs/tracked_run.h"

namespace kml::cli {

/// Submits, sweeps and pipelines on this machine, and those whose engine runs in a cluster, in no order; of
/// the submits at most the `newest` ones. Looks up on the current target what is not known yet.
std::vector<tracking::TrackedRun> tracked_runs(Context& context,
                                               size_t newest = std::numeric_limits<size_t>::max());

/// Whether a submit may be wanted, judged by the parts that are quick to read; see
/// tracking::outline_of_submit(). `objects` is the text of its objects.
using MayBeWanted = std::function<bool(const tracking::TrackedRun& outline, std::string_view objects)>;

/// Like tracked_runs(), but without submits that are certainly not wanted. Includes all submits whose
/// outcomes could be looked up.
std::vector<tracking::TrackedRun> tracked_runs_if(Context& context, const MayBeWanted& may_be_wanted);

/// All runs without requests: outcomes and metrics as far as they are recorded.
std::vector<tracking::TrackedRun> recorded_runs(Context& context);

/// The run that has the name or starts with the id; the newest one with that name, and of all for "@". Throws
/// usage Error if no run or several ids match.
const tracking::TrackedRun& run_named(const std::vector<tracking::TrackedRun>& runs, const std::string& name);

/// The state of a run of kind "sweep".
sweep::SweepState sweep_of_run(Context& context, const tracking::TrackedRun& run);

/// Whether the engine of a run of kind "pipeline" runs on this machine.
bool is_of_this_machine(const tracking::TrackedRun& run);

/// The state of a run of kind "pipeline". Throws Error if its journal cannot be read.
pipeline::RunState pipeline_of_run(const tracking::TrackedRun& run);

/// All recorded values of the run's metrics. A sweep has the learning curve of its best trial. If only the
/// last value of a metric is known, its course is that value.
tracking::MetricCourses courses_of(Context& context, const tracking::TrackedRun& run);

}  // namespace kml::cli
