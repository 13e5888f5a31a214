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

/// The submits, sweeps and pipeline runs on this machine, and the sweeps and pipeline runs whose engines run
/// in a cluster, in no particular order. Includes only the last `newest` submits, but all for an agent. Looks
/// up unknown outcomes and metrics on the current target.
std::vector<tracking::TrackedRun> tracked_runs(Context& context,
                                               size_t newest = std::numeric_limits<size_t>::max());

/// Whether the caller may need a submit, judging by the parts of its record that can be read quickly; see
/// tracking::outline_of_submit(). `objects` is the text of its objects.
using MayBeWanted = std::function<bool(const tracking::TrackedRun& outline, std::string_view objects)>;

/// Like tracked_runs(), but leaves out submits for which `may_be_wanted` returns false, unless their outcomes
/// or metrics had to be looked up.
std::vector<tracking::TrackedRun> tracked_runs_if(Context& context, const MayBeWanted& may_be_wanted);

/// All runs, with their outcomes and metrics as far as they are recorded. Sends no requests.
std::vector<tracking::TrackedRun> recorded_runs(Context& context);

/// The run with this name, or with this id, see job::is_run_id(). If several runs have the name, the newest
/// of them. "@" is the newest of all runs. Throws usage Error if no run matches, or if several ids match.
const tracking::TrackedRun& run_named(const std::vector<tracking::TrackedRun>& runs, const std::string& name);

/// The state of a run whose kind is "sweep".
sweep::SweepState sweep_of_run(Context& context, const tracking::TrackedRun& run);

/// Whether a run whose kind is "pipeline" has its engine on this machine.
bool is_of_this_machine(const tracking::TrackedRun& run);

/// The state of a run whose kind is "pipeline". Throws Error if its journal cannot be read.
pipeline::RunState pipeline_of_run(const tracking::TrackedRun& run);

/// All recorded values of the run's metrics. For a sweep, the learning curve of its best trial. If only the
/// last value of a metric is known, the curve consists of that value.
tracking::MetricCourses courses_of(Context& context, const tracking::TrackedRun& run);

}  // namespace kml::cli
