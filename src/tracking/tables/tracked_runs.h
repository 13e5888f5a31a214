#pragma once

#include <string>
#include <vector>

#include "kml/base/streams.h"
#include "kml/tracking/runs/tracked_run.h"

namespace kml::ui {

/// "1a83ba9c"; of a sweep or a pipeline "sweep/lr1".
std::string short_id(const tracking::TrackedRun& run);

/// The commit, and the digest and size of the uncommitted changes: "5cde61d0 + 1a83ba9c (12 lines)".
std::string code_in_brief(const tracking::TrackedRun& run);

/// A row for each run: state, age, metrics, parameters, tags; or its name and these columns, which are words
/// of column_words() or names for tracking::value_of(). Long values are cut. Below a run are its nested runs.
void print_tracked_runs(const Streams& streams, const std::vector<tracking::TrackedRun>& runs, Time now,
                        const std::vector<std::string>& columns = {});
/// "run", "age", "target", "metrics", "parameters", "tags", "command", …
const std::vector<std::string>& column_words();

/// A row for each property, a column for each run: first the properties in which the runs differ, most
/// telling first. With `all`, the equal ones, too. Returns whether the runs differ.
bool print_comparison(const Streams& streams, const std::vector<tracking::TrackedRun>& runs, bool all);

/// A line for each run, and a column for each parameter and metric.
void print_runs_csv(const Streams& streams, const std::vector<tracking::TrackedRun>& runs);

Json to_json(const tracking::TrackedRun& run);

}  // namespace kml::ui
